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

// mayStep reports whether a run may make one more step, in which its model reads what a
// person has said. Without that it stays in the queue.
func mayStep(r *agent.Run) bool {
	return r.State.HandIn.Limit == "" && !r.State.FinishNow && (r.Limits.Steps == 0 || r.Steps < r.Limits.Steps)
}

// steering has a run at work hear its person.
type steering struct {
	*rows
	polling *polling
	by      string // the person's address
}

// due reports whether what a person has said comes next: all calls have their results, and
// no model call is under way that a crash has cut off.
func (sr *steering) due() bool {
	return len(sr.steers) > 0 && sr.run.State.DraftID == "" && mayStep(&sr.run)
}

// hear makes messages of what people have said, behind all results. A run that was about
// to end goes on.
func (sr *steering) hear() error {
	e := agent.Change{Run: sr.with(agent.StatusRunning)}
	e.Run.State.Terminate = nil
	parent := sr.transcript.last().ID
	for _, s := range sr.steers {
		m := sr.message(sr.newID(), agent.FromUser, parent, s.Content)
		m.SaidBy, m.Steered, m.DocumentID = sr.by, true, s.DocumentID
		parent = m.ID
		say(&e, m)
		e.Heard = append(e.Heard, agent.Heard{ID: s.ID, MessageID: m.ID})
	}
	return sr.commit(e)
}

// skips reports whether a call is left out because of what a person has said: it has not begun,
// nobody has allowed it since, and it shares no result with one that has.
func (sr *steering) skips(c agent.ToolCall) bool {
	switch {
	case c.State == agent.CallValidating:
		return true
	case c.State != agent.CallScheduled || c.Authority.Kind == agent.AuthorityTwin:
		return false
	case c.Attempt > 0:
		return sr.polling.sleeps(c)
	}
	a, asked := sr.approvals.byID(c.Authority.ApprovalID())
	return !asked || a.DecidedAt.Before(sr.steers[0].CreatedAt)
}

func (sr *steering) skipsCalls() bool {
	return len(sr.steers) > 0 && mayStep(&sr.run) && slices.ContainsFunc(sr.calls.open(), sr.skips)
}

// skipCalls ends the calls of the newest answer that have not begun.
func (sr *steering) skipCalls() error {
	e := agent.Change{Run: sr.with(agent.StatusRunning)}
	for _, c := range sr.calls.open() {
		if !sr.skips(c) {
			continue
		}
		text := "Not executed: the person said something before this call began. Read it below; make the call again only if it still fits."
		if c.Attempt > 0 {
			text = "Not waited for any longer: the person said something meanwhile. There was nothing new until then."
		}
		sr.polling.done(e.Run, c)
		e = e.Then(sr.tools.finish(c, agent.CallSkipped, agent.CallCancelled, agent.ErrCancelled, text))
	}
	return sr.commit(e)
}
