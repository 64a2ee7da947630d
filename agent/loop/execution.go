package loop

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"fusebox/agent"
)

// execution is one stay of a run in this process: the rows of its snapshot, kept
// in step with every entry that is committed.
type execution struct {
	*Loop
	conv     agent.Conversation
	owner    agent.Viewer // whom the run works for
	grants   []agent.Grant
	rules    []agent.PolicyRule
	deciders int

	run       agent.Run
	output    agent.OutputMode
	branch    []agent.Message
	approvals []agent.Approval
	// compactions are those of the conversation, oldest first.
	compactions []agent.Compaction
	since       time.Time // when the running time was last added to run.Active
	guards      judges
	// draft is what was streamed of the message that has no row yet.
	draft draft
	// open is the model call under way, took what is known of one that was cut off.
	open openCall
	took agent.Completion
	// refusals counts the calls in a row whose further try did not fit the budgets.
	refusals int

	// mu guards calls and approvals: calls of one answer are executed in parallel.
	mu    sync.Mutex
	calls []agent.ToolCall
}

// draft is the streamed part of a message that is not final.
type draft struct {
	text, reasoning strings.Builder
	shown           bool // something was streamed
	calls           bool // a call was announced
	// guards read along: those of the text, those of the reasoning.
	onText, onReasoning []agent.StreamGuard
	muted               []agent.Verdict // of guards that are switched off
	thinking, thought   time.Time       // when the reasoning began, and ended
}

// judges are the breakers of this run, with the settings that hold for it.
type judges struct {
	config   agent.GuardConfig
	settings agent.GuardSettings
	list     []agent.Guard
	// records are those of calls that have ended, by the call's id.
	records map[string]agent.CallRecord
}

func newExecution(l *Loop, s *agent.Snapshot) *execution {
	settings := s.Guards.Effective(l.Settings.Guards, s.Conversation.Guards)
	return &execution{
		Loop: l, conv: s.Conversation, grants: s.Grants, rules: s.Rules, deciders: s.Deciders,
		owner:  agent.Viewer{UserID: s.Conversation.OwnerID, Email: s.OwnerEmail, Role: s.OwnerRole},
		output: agent.OutputMode(cmp.Or(string(s.Conversation.OutputMode), string(s.OwnerOutput), string(l.Settings.Output))),
		run:    s.Run, branch: s.Branch, compactions: s.Compactions, approvals: s.Approvals, calls: s.Calls,
		since:  l.Clock.Now(),
		guards: judges{config: s.Guards, settings: settings, list: l.Guards(settings), records: map[string]agent.CallRecord{}},
	}
}

// commitTimeout bounds a write that must not be lost to a cancelled context:
// an abort ends the run's context, but its last entries still have to be written.
const commitTimeout = 30 * time.Second

func commitContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), commitTimeout)
}

// commit appends an entry of this run and, once it stands, takes its changes
// over into the execution.
func (f *execution) commit(e agent.Entry) error {
	ctx, cancel := commitContext()
	defer cancel()
	e.ConversationID, e.RunID, e.Epoch = f.conv.ID, f.run.ID, f.run.Epoch
	for i := range e.Events {
		e.Events[i].ConversationID, e.Events[i].RunID = f.conv.ID, f.run.ID
		if e.Events[i].Step == 0 {
			e.Events[i].Step = f.stepOf(e)
		}
	}
	if _, err := f.Journal.Append(ctx, e); err != nil {
		return err
	}
	f.adopt(e)
	return nil
}

func (f *execution) stepOf(e agent.Entry) int {
	if e.Run != nil {
		return e.Run.Steps
	}
	return f.run.Steps
}

// adopt takes over what the journal has committed. While calls are executed in
// parallel, entries carry calls, approvals and events only: the rest has one writer.
func (f *execution) adopt(e agent.Entry) {
	if e.Run != nil {
		f.run = *e.Run
		f.since = f.Clock.Now()
	}
	if len(e.Messages) > 0 {
		f.branch = append(f.branch, e.Messages...)
	}
	if len(e.Compactions) > 0 {
		f.compactions = append(f.compactions, e.Compactions...)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range e.Approvals {
		if c.From != "" {
			c.Approval.Version++
		}
		f.adoptApproval(c.Approval)
	}
	for _, c := range e.Calls {
		if i := f.callIndex(c.Call.ID); i >= 0 {
			f.calls[i] = c.Call
		} else {
			f.calls = append(f.calls, c.Call)
		}
	}
}

func (f *execution) adoptApproval(a agent.Approval) {
	i := slices.IndexFunc(f.approvals, func(b agent.Approval) bool { return b.ID == a.ID })
	if i < 0 {
		f.approvals = append(f.approvals, a)
		return
	}
	f.approvals[i] = a
}

// callIndex needs f.mu, or that no call is being executed.
func (f *execution) callIndex(id string) int {
	return slices.IndexFunc(f.calls, func(c agent.ToolCall) bool { return c.ID == id })
}

func (f *execution) now() time.Time { return agent.Stamp(f.Clock) }

// with returns the run's new row: the status, and the running time until now.
func (f *execution) with(s agent.Status) *agent.Run {
	r := f.run
	r.Status = s
	r.Active += f.Clock.Now().Sub(f.since)
	r.State.Reminders = slices.Clone(r.State.Reminders)
	r.State.Trips = slices.Clone(r.State.Trips)
	r.WakeAt = time.Time{}
	return &r
}

// last is the newest message of the branch; a run always has its person's message.
func (f *execution) last() agent.Message { return f.branch[len(f.branch)-1] }

func (f *execution) anyCall(s agent.CallState) bool {
	return slices.ContainsFunc(f.calls, func(c agent.ToolCall) bool { return c.State == s })
}

// owesResults reports whether the newest message asks for tools whose results
// are not in the history yet.
func (f *execution) owesResults() bool {
	m := f.last()
	return m.Role == agent.FromAssistant && len(m.ToolCalls) > 0
}

func events(data ...agent.EventData) []agent.Event {
	out := make([]agent.Event, len(data))
	for i, d := range data {
		out[i].Data = d
	}
	return out
}
