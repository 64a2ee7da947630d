package loop

import (
	"cmp"

	"fusebox/agent"
)

// execution is one stay of a run in this process. It makes the moves; the rows
// they change and the parts that know about one thing each are its fields.
type execution struct {
	*Loop
	*rows
	output    agent.OutputMode
	tools     *callTools
	view      *toolView
	guide     *instructions
	breakers  *breakers
	auth      *authorizer
	requests  *requests
	polling   *polling
	reminders *reminders
	gate      *gate
	executor  *executor
	account   *account
	advisers  *advisers
	compactor *compactor
	// draft is what was streamed of the message that has no row yet.
	draft draft
	// took is what is known of a model call that was cut off.
	took agent.Completion
	// memory is what the provider keeps of the messages of the conversation's requests.
	memory *agent.Memory
	// refusals counts the calls in a row whose further try did not fit the budgets.
	refusals int
}

func newExecution(l *Loop, s *agent.Snapshot) *execution {
	settings := s.Guards.Effective(l.Settings.Guards, s.Conversation.Guards)
	x := &execution{
		Loop: l, rows: newRows(l, s),
		memory: l.memories.take(s.Conversation.ID),
		output: agent.OutputMode(cmp.Or(string(s.Conversation.OutputMode), string(s.OwnerOutput), string(l.Settings.Output))),
		tools:  &callTools{Toolbox: l.Tools, config: s.Guards, clock: l.Clock},
	}
	x.breakers = &breakers{
		rows: x.rows, tools: x.tools, config: s.Guards, settings: settings, list: l.Guards(settings), records: map[string]agent.CallRecord{}, log: l.Log,
	}
	x.auth = &authorizer{
		rows: x.rows, tools: x.tools, policy: l.Policy, grants: s.Grants, rules: s.Rules,
		owner:         agent.Viewer{UserID: s.Conversation.OwnerID, Email: s.OwnerEmail, Role: s.OwnerRole},
		minConfidence: settings.MinConfidence,
	}
	x.view = &toolView{rows: x.rows, tools: x.tools, role: s.OwnerRole, memory: !s.OwnerMemoryOff, most: l.Settings.ToolsInView}
	x.auth.view = x.view
	x.guide = &instructions{rows: x.rows, view: x.view, texts: l.Settings.Instructions}
	x.requests = &requests{rows: x.rows, tools: x.tools, auth: x.auth, timeout: l.Settings.ApprovalTimeout, deciders: s.Deciders, log: l.Log}
	x.polling = &polling{rows: x.rows, tools: x.tools, breakers: x.breakers}
	x.reminders = &reminders{rows: x.rows, word: l.Reminder}
	x.gate = &gate{
		rows: x.rows, tools: x.tools, breakers: x.breakers, auth: x.auth, requests: x.requests, polling: x.polling, reminders: x.reminders,
	}
	x.executor = &executor{
		rows: x.rows, tools: x.tools, view: x.view, auth: x.auth, requests: x.requests, polling: x.polling, gate: x.gate, flight: &l.flight, parallel: l.Settings.Parallel, withdraw: l.Withdraw, log: l.Log,
	}
	x.account = &account{rows: x.rows, counter: l.Counter, settings: &l.Settings, drift: &l.drift}
	x.advisers = &advisers{
		rows: x.rows, tools: x.tools, account: x.account, provider: l.Provider, judge: l.Judge, riskJudge: l.RiskJudge,
		settings: settings, riskModel: l.Settings.RiskModel, log: l.Log,
	}
	x.compactor = &compactor{
		rows: x.rows, account: x.account, provider: l.Provider, counter: l.Counter, at: l.Settings.CompactAt, log: l.Log,
	}
	return x
}
