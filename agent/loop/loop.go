package loop

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"fusebox/agent"
)

// LoopSettings are the numbers the Loop works with.
type LoopSettings struct {
	Guards agent.GuardSettings
	// Parallel bounds the calls of one answer that run at the same time.
	Parallel int
	// MaxOutput is the most output tokens one model call may use.
	MaxOutput int64
	// ApprovalTimeout is how long a card may stay undecided.
	ApprovalTimeout time.Duration
	// Window is a model's context window in tokens, 0 where nobody knows; nil
	// knows none. Above CompactAt per cent of it the context is compacted; 0 never.
	Window    func(model string) int64
	CompactAt int
	// Output is the mode of people and conversations that set none.
	Output agent.OutputMode
	// RiskModel is the model that judges the risk of calls; "" means none.
	RiskModel string
	// Price is what a model costs now; false where nobody knows.
	Price func(model string) (agent.Price, bool)
}

// Loop drives runs. It holds no state of any run: everything it knows comes
// from the journal's snapshot and goes back there, so that any process can go
// on with a run where another one stopped.
type Loop struct {
	Journal  agent.Journal
	Provider agent.Provider
	Counter  agent.TokenCounter
	Tools    agent.Toolbox
	Policy   agent.Policy
	// Guards makes the detectors of one run, Streams those of one message.
	Guards  func(agent.GuardSettings) []agent.Guard
	Streams func(agent.GuardSettings) []agent.StreamGuard
	// Judge is asked about long runs where a judge model is set; nil never.
	Judge agent.Judge
	// RiskJudge is asked how risky calls are where a model is set for it; nil never.
	RiskJudge agent.RiskJudge
	// Reminder words a verdict for the model; tool may be "".
	Reminder func(v agent.Verdict, tool string) string
	Clock    agent.Clock
	NewID    agent.NewID
	Log      *slog.Logger
	Settings LoopSettings

	drift drift
}

// The causes with which a run's context is cancelled.
var (
	// ErrShutdown lets go of a run: it stays as it is for the next process.
	ErrShutdown = errors.New("the server is shutting down")
	errTimeUp   = errors.New("the run's time is up")
)

// AbortCause cancels a run because a person asked for it.
type AbortCause struct{ By string }

func (c *AbortCause) Error() string { return "aborted by " + c.By }

// Advance goes on with a run that this process has claimed, until it waits for
// a person or ends. It returns nil then, and an error where the run was left
// as it is: the journal failed, another process took over, or ctx ended with
// another cause than an AbortCause.
func (l *Loop) Advance(ctx context.Context, runID string) error {
	snap, err := l.snapshot(runID)
	if err != nil {
		return err
	}
	f := newExecution(l, snap)
	ctx, cancel := f.withTimeLimit(ctx)
	defer cancel()
	if err := f.begin(); err != nil {
		return err
	}
	return f.advance(ctx)
}

// snapshot loads a run also where its context is cancelled by now: an abort that
// comes this early still has to end the run.
func (l *Loop) snapshot(runID string) (*agent.Snapshot, error) {
	ctx, cancel := commitContext()
	defer cancel()
	return l.Journal.Snapshot(ctx, runID)
}

// maxResyncs bounds how often in a row a person may be faster than the loop.
const maxResyncs = 10

func (f *execution) advance(ctx context.Context) error {
	for tries := 0; f.run.Status == agent.StatusRunning; {
		err := f.move(ctx)
		switch {
		case err == nil:
			tries = 0
		case agent.CodeOf(err) != agent.Conflict, errors.Is(err, agent.ErrStale), tries == maxResyncs:
			return err
		default:
			tries++
			if err := f.resync(); err != nil {
				return err
			}
		}
	}
	return nil
}

// withTimeLimit cancels the run's context when its running time is used up, so
// that neither a model nor a tool can outlast it.
func (f *execution) withTimeLimit(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	limit := f.run.Limits.Duration()
	if limit > 0 {
		up := f.Clock.After(max(limit-f.run.Active, 0))
		go func() {
			select {
			case <-up:
				cancel(errTimeUp)
			case <-ctx.Done():
			}
		}()
	}
	return ctx, func() { cancel(nil) }
}

// timeIsUp reports whether the run has used up its running time.
func (f *execution) timeIsUp() bool {
	limit := f.run.Limits.Duration()
	return limit > 0 && f.run.Active+f.Clock.Now().Sub(f.since) >= limit
}

// move takes the one step that the run's rows call for. Every move changes
// rows: calls only move forward and model calls are bounded by max_steps, so
// a run comes to an end.
func (f *execution) move(ctx context.Context) error {
	if ctx.Err() != nil {
		return f.interrupted(context.Cause(ctx))
	}
	if f.timeIsUp() {
		return f.interrupted(errTimeUp) // the timer that cancels the context is about to say so
	}
	if f.run.AbortBy != "" {
		return f.end(abortedBy(f.run.AbortBy))
	}
	if err := f.applyDecisions(); err != nil || f.run.Status != agent.StatusRunning {
		return err
	}
	switch {
	case f.holds():
		return f.pause()
	case f.anyCall(agent.CallValidating):
		return f.weigh(ctx)
	case len(f.ready()) > 0:
		return f.execute(ctx, f.ready())
	case f.undoable(), f.anySleeps() && !f.waits():
		return f.sleep()
	case f.waits():
		return f.pause()
	case f.owesResults():
		return f.answerCalls()
	case f.run.State.Terminate != nil:
		return f.end(terminated(*f.run.State.Terminate))
	case f.last().Role == agent.FromAssistant && !f.run.State.Unfinished && f.run.State.DraftID == "":
		return f.conclude()
	default:
		return f.think(ctx)
	}
}

// interrupted handles the end of the run's context. What it does not know it
// leaves alone: the run stays as it is, for the process that claims it next.
func (f *execution) interrupted(cause error) error {
	var abort *AbortCause
	switch {
	case errors.As(cause, &abort):
		return f.end(abortedBy(abort.By))
	case errors.Is(cause, errTimeUp):
		return f.end(ending{status: agent.StatusStopped, reason: agent.StopTimeout})
	default:
		return cause
	}
}

// waits reports whether a person is to decide something of this run.
func (f *execution) waits() bool {
	return slices.ContainsFunc(f.approvals, func(a agent.Approval) bool { return a.Status.Open() })
}

// holds reports whether a person is asked about the run itself: until that is
// decided nothing of it goes on.
func (f *execution) holds() bool {
	for _, a := range f.approvals {
		if a.Status.Open() && a.Kind == agent.KindLoop && a.ToolCallID == "" {
			return true
		}
	}
	return false
}

// pause lets go of the run: from here on it is only rows.
func (f *execution) pause() error {
	var ids []string
	for _, a := range f.approvals {
		if a.Status.Open() {
			ids = append(ids, a.ID)
		}
	}
	return f.commit(agent.Entry{Run: f.with(agent.StatusPaused), Events: events(agent.RunPaused{ApprovalIDs: ids})})
}

// resync loads the run anew after the journal has refused an entry because a
// person was faster: a decision or an abort that the execution did not know of.
func (f *execution) resync() error {
	snap, err := f.snapshot(f.run.ID)
	if err != nil {
		return err
	}
	f.run, f.branch, f.approvals, f.calls = snap.Run, snap.Branch, snap.Approvals, snap.Calls
	f.grants, f.rules, f.deciders = snap.Grants, snap.Rules, snap.Deciders
	f.compactions = snap.Compactions
	return nil
}
