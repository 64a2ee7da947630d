package loop

import (
	"cmp"
	"sync"

	"fusebox/agent"
	"fusebox/agent/lru"
)

// execution is one stay of a run in this process. It makes the moves; the rows
// they change and the parts that know about one thing each are its fields.
type execution struct {
	*Loop
	*rows
	view      toolView
	guide     instructions
	breakers  breakers
	auth      authorizer
	requests  requests
	polling   polling
	reminders reminders
	gate      gate
	executor  executor
	account   account
	budgets   budgets
	advisers  advisers
	compactor compactor
	delegator delegator
	steps     steps
	steering  steering
	prompter  prompter
	writer    writer
	// refusals counts the calls in a row whose further try did not fit the budgets.
	refusals int
}

func newExecution(l *Loop, s *agent.Snapshot) *execution {
	settings := s.Guards.Effective(l.Settings.Guards, s.Conversation.Guards)
	own := family{agent: s.Agent}
	s.Conversation.ApprovalMode = own.mode(s.Run, s.Conversation.ApprovalMode)
	if named := own.knowledge(s.Run); named != nil {
		s.Conversation.Collections = named
	}
	x := &execution{Loop: l, rows: newRows(l, s)}
	x.breakers = breakers{rows: x.rows, settings: settings, list: l.Guards(settings), records: map[string]agent.CallRecord{}}
	x.auth = authorizer{
		rows: x.rows, view: &x.view, grants: s.Grants, rules: s.Rules,
		owner:         agent.Viewer{UserID: s.Conversation.OwnerID, Email: s.OwnerEmail, Role: s.OwnerRole},
		minConfidence: settings.MinConfidence,
	}
	x.view = toolView{rows: x.rows, role: s.OwnerRole, memory: !s.OwnerMemoryOff}
	x.guide = instructions{rows: x.rows, view: &x.view}
	x.requests = requests{rows: x.rows, auth: &x.auth, deciders: s.Deciders}
	x.polling = polling{rows: x.rows, breakers: &x.breakers}
	x.reminders = reminders{rows: x.rows}
	x.gate = gate{rows: x.rows, breakers: &x.breakers, auth: &x.auth, requests: &x.requests, polling: &x.polling, reminders: &x.reminders}
	x.executor = executor{rows: x.rows, view: &x.view, auth: &x.auth, requests: &x.requests, polling: &x.polling, gate: &x.gate}
	x.account = account{rows: x.rows}
	x.budgets = budgets{rows: x.rows, account: &x.account, requests: &x.requests}
	x.advisers = advisers{rows: x.rows, account: &x.account, settings: settings}
	x.compactor = compactor{rows: x.rows, account: &x.account}
	x.delegator = delegator{rows: x.rows, auth: &x.auth, executor: &x.executor, account: &x.account}
	x.steps = steps{rows: x.rows, requests: &x.requests, delegator: &x.delegator}
	x.steering = steering{rows: x.rows, polling: &x.polling, by: s.OwnerEmail}
	x.prompter = prompter{
		rows: x.rows, account: &x.account, auth: &x.auth, view: &x.view, guide: &x.guide, reminders: &x.reminders,
		memory: l.memories.take(memoryOf(s.Run)),
	}
	x.writer = writer{
		rows: x.rows, account: &x.account, prompter: &x.prompter, breakers: &x.breakers,
		output: agent.OutputMode(cmp.Or(string(s.Conversation.OutputMode), string(s.OwnerOutput), string(l.Settings.Output))),
	}
	return x
}

// Bounds of the memories that wait for a conversation's next run: the bytes of all of
// them, and the messages from which on one is kept. Shorter ones are made as quickly.
const (
	keptMemoryBytes = 64 << 20
	worthKeeping    = 32
)

// memoryOf is whose memory a run takes: its conversation's, or its own where it is a child.
func memoryOf(r agent.Run) string {
	if r.Lineage.IsChild() {
		return r.ID
	}
	return r.ConversationID
}

// memories are those of conversations of which no run is advanced right now. A run
// takes its conversation's, so that no two use one at a time.
type memories struct {
	once sync.Once
	kept *lru.Cache[*agent.Memory]
}

func (k *memories) cache() *lru.Cache[*agent.Memory] {
	k.once.Do(func() { k.kept = lru.New[*agent.Memory](keptMemoryBytes) })
	return k.kept
}

// take is the memory of a conversation or child run, or a new one.
func (k *memories) take(conversationID string) *agent.Memory {
	if m := k.cache().Take(conversationID); m != nil {
		return m
	}
	return &agent.Memory{}
}

// keep keeps the memory of a run that is let go of.
func (k *memories) keep(x *execution) {
	branch := x.transcript.branch
	if len(branch) < worthKeeping {
		return
	}
	size := 0
	for i := range branch {
		size += 2 * branch[i].Size() // as it is, and as it is sent
		for _, img := range branch[i].Images {
			size += 4 * int(img.Bytes) / 3 // as it is sent
		}
	}
	k.cache().Put(memoryOf(x.run), x.prompter.memory, size)
}

// resync reloads the run after the journal has refused an entry because a
// person was faster: a decision or an abort that the execution did not know of.
func (x *execution) resync() error {
	snap, err := x.snapshot(&x.run)
	if err != nil {
		return err
	}
	x.load(snap)
	x.auth.grants, x.auth.rules, x.requests.deciders = snap.Grants, snap.Rules, snap.Deciders
	return nil
}
