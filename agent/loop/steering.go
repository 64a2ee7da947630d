package loop

import (
	"slices"
	"sync"

	"fusebox/agent"
)

// steered notes which of the runs that this process advances a person has steered since they
// last looked. A run that was not told in time finds out as it begins its next step, or ends.
type steered struct {
	mu   sync.Mutex
	runs map[string]bool
}

// begin lets a run be told, until the function that it returns is called.
func (s *steered) begin(runID string) (end func()) {
	s.set(runID, false)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.runs, runID)
	}
}

func (s *steered) set(runID string, to bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs == nil {
		s.runs = map[string]bool{}
	}
	s.runs[runID] = to
}

// tell notes that a run was steered, where this process advances it.
func (s *steered) tell(runID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, here := s.runs[runID]; here {
		s.runs[runID] = true
	}
}

// is reports whether a run was steered, and take does so once.
func (s *steered) is(runID string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs[runID]
}

func (s *steered) take(runID string) bool {
	is := s.is(runID)
	if is {
		s.set(runID, false)
	}
	return is
}

// Steer has a run that this process advances look at what a person has said, before it begins
// anything else.
func (r *Runner) Steer(runID string) { r.Loop.steered.tell(runID) }

// mayStep reports whether the run may make one more step, in which its model reads what a
// person has said. Without that it stays in the queue.
func (x *execution) mayStep() bool {
	return x.run.State.HandIn.Limit == "" && !x.run.State.FinishNow && (x.run.Limits.Steps == 0 || x.run.Steps < x.run.Limits.Steps)
}

// hears reports whether what a person has said comes next: all calls have their results, and
// no model call is under way that a crash has cut off.
func (x *execution) hears() bool {
	return len(x.steers) > 0 && x.run.State.DraftID == "" && x.mayStep()
}

// hearSteers makes messages of what people have said, behind all results. A run that was about
// to end goes on.
func (x *execution) hearSteers() error {
	e := agent.Change{Run: x.with(agent.StatusRunning)}
	e.Run.State.Terminate = nil
	parent := x.transcript.last().ID
	for _, s := range x.steers {
		m := agent.Message{
			ID: x.newID(), ConversationID: x.conv.ID, ParentID: parent, Role: agent.FromUser, Content: s.Content,
			SaidBy: x.auth.owner.Email, Steered: true, DocumentID: s.DocumentID, RunID: x.run.ID, CreatedAt: x.now(),
		}
		parent = m.ID
		e.Messages = append(e.Messages, m)
		e.Heard = append(e.Heard, agent.Heard{ID: s.ID, MessageID: m.ID})
		e.Events = append(e.Events, events(agent.MessageEvent{Message: m})...)
	}
	return x.commit(e)
}

// skips reports whether a call is left out because of what a person has said: it has not begun,
// nobody has allowed it since, and it shares no result with one that has.
func (x *execution) skips(c agent.ToolCall) bool {
	switch {
	case c.State == agent.CallValidating:
		return true
	case c.State != agent.CallScheduled || c.Authority.Kind == agent.AuthorityTwin:
		return false
	case c.Attempt > 0:
		return x.polling.sleeps(c)
	}
	a, asked := x.approvals.byID(c.Authority.ApprovalID())
	return !asked || a.DecidedAt.Before(x.steers[0].CreatedAt)
}

func (x *execution) skipsCalls() bool {
	return len(x.steers) > 0 && x.mayStep() && slices.ContainsFunc(x.calls.open(), x.skips)
}

// skipCalls ends the calls of the newest answer that have not begun.
func (x *execution) skipCalls() error {
	e := agent.Change{Run: x.with(agent.StatusRunning)}
	for _, c := range x.calls.open() {
		if !x.skips(c) {
			continue
		}
		text := "Not executed: the person said something before this call began. Read it below; make the call again only if it still fits."
		if c.Attempt > 0 {
			text = "Not waited for any longer: the person said something meanwhile. There was nothing new until then."
		}
		x.polling.done(e.Run, c)
		e = e.Then(x.tools.finish(c, agent.CallSkipped, agent.CallCancelled, agent.ErrCancelled, text))
	}
	return x.commit(e)
}
