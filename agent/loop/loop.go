package loop

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"fusebox/agent"
)

// Settings are the numbers the Loop works with.
type Settings struct {
	Guards agent.GuardSettings
	// Parallel bounds the calls of one answer that run at the same time.
	Parallel int
	// ToolsInView is how many tools a model is shown without a search; 0 for any number.
	ToolsInView int
	// Instructions are what admins say of tools, by their names.
	Instructions map[string]string
	// MaxOutput is the most output tokens one model call may use.
	MaxOutput int64
	// ApprovalTimeout is how long an approval may stay undecided.
	ApprovalTimeout time.Duration
	// Window is a model's context window in tokens, 0 if unknown; nil
	// knows none. Above CompactAt percent of it the context is compacted; 0 never.
	Window    func(model string) int64
	CompactAt int
	// Output is the mode of people and conversations that set none.
	Output agent.OutputMode
	// RiskModel is the model that judges the risk of calls; "" means none.
	RiskModel string
	// ResultLimit is how many bytes of a tool's result a model reads; 0 for any number.
	ResultLimit int
	// Price is what a model costs now; false if unknown.
	Price func(model string) (agent.Price, bool)
}

// Loop drives runs. It keeps no state of any run but what can be made again:
// everything it knows comes from the journal's snapshot and goes back there, so that any process can go
// on with a run where another one stopped.
type Loop struct {
	Journal  agent.Journal
	Provider agent.Provider
	Counter  agent.TokenCounter
	Tools    agent.Toolbox
	Policy   agent.Policy
	// Guards makes the detectors of one run, Streams those of one answer to a person's
	// message, the task.
	Guards  func(agent.GuardSettings) []agent.Guard
	Streams func(s agent.GuardSettings, task string, of agent.DeltaKind) []agent.StreamGuard
	// Judge is asked about long runs where a judge model is set; nil never.
	Judge agent.Judge
	// RiskJudge is asked how risky calls are where a model is set for it; nil never.
	RiskJudge agent.RiskJudge
	// Reminder words a verdict for the model; tool may be "".
	Reminder func(v agent.Verdict, tool string, in agent.Language) string
	// Withdraw closes the card of a question that nobody waits for any more, so that its
	// run goes on; nil leaves it.
	Withdraw func(ctx context.Context, approvalID, why string) error
	// Next has the message answered that waited for the end of a conversation's run; nil leaves it.
	Next func(ctx context.Context, conversationID string) error
	// OpenImage reads a picture of the results of a conversation's run.
	OpenImage func(conversationID, runID, name string) ([]byte, error)
	Clock     agent.Clock
	NewID     agent.NewID
	Log       *slog.Logger
	Settings  Settings

	// wake has runs looked for that are ready, stopRun ends one that this process advances.
	wake    func()
	stopRun func(runID, by string)

	drift    drift
	memories memories
	flight   inFlight
	steered  steered
}

// wakeRunner has whoever claims runs look for those that are ready.
func (l *Loop) wakeRunner() {
	if l.wake != nil {
		l.wake()
	}
}

// The causes with which a run's context is cancelled.
var (
	// ErrShutdown lets go of a run: it stays as it is for the next process.
	ErrShutdown = errors.New("the server is shutting down")
	errTimeUp   = errors.New("the run's time is up")
)

// AbortCause cancels a run because a person asked for it, or took it over with an
// answer.
type AbortCause struct{ By, Answer string }

func (c *AbortCause) Error() string { return "aborted by " + c.By }

// Advance continues with a run as this process has claimed it, until it waits for
// a person or ends. It returns nil then, and an error where the run was left
// as it is: the journal failed, ErrStale where it was claimed again since, or ctx ended
// with another cause than an AbortCause.
func (l *Loop) Advance(ctx context.Context, run *agent.Run) error {
	return l.advanceFrom(ctx, run, nil)
}

// advanceFrom is Advance with a snapshot that is loaded where it is nil.
func (l *Loop) advanceFrom(ctx context.Context, run *agent.Run, snap *agent.Snapshot) (err error) {
	defer l.steered.begin(run.ID)()
	if snap == nil {
		if snap, err = l.snapshot(run); err != nil {
			return err
		}
	}
	defer func() {
		if err != nil {
			l.flight.drop(run.ID) // whoever goes on with the run finds them cut off
		}
	}()
	x := newExecution(l, snap)
	defer l.memories.keep(x)
	if err := x.begin(); err != nil {
		return err
	}
	if err := x.advanceInTime(ctx); !errors.Is(err, errHandsIn) {
		return err
	}
	return x.advanceInTime(ctx)
}

// advanceInTime is advance until the run's time is up.
func (x *execution) advanceInTime(ctx context.Context) error {
	ctx, cancel := x.withTimeLimit(ctx)
	defer cancel()
	return x.advance(ctx)
}

// snapshot loads a run also where its context is cancelled by now: an abort that
// comes this early still has to end the run. ErrStale where somebody has claimed it
// since run was: their fencing number must not pass for ours.
func (l *Loop) snapshot(run *agent.Run) (*agent.Snapshot, error) {
	ctx, cancel := commitContext()
	defer cancel()
	snap, err := l.Journal.Snapshot(ctx, run.ID)
	if err == nil && snap.Run.Epoch != run.Epoch {
		return nil, agent.ErrStale
	}
	return snap, err
}

// maxResyncs bounds how often in a row a person may be faster than the loop.
const maxResyncs = 10

func (x *execution) advance(ctx context.Context) (err error) {
	defer func() { err = cmp.Or(err, x.flush()) }()
	for tries := 0; x.run.Status == agent.StatusRunning; {
		children := len(x.family.children)
		err := x.move(ctx)
		switch {
		case err == nil:
			tries = 0
		case agent.CodeOf(err) != agent.Conflict, errors.Is(err, agent.ErrStale), tries == maxResyncs:
			return err
		default:
			tries++
			if err := x.resync(); err != nil {
				return err
			}
			if len(x.family.children) < children { // one was taken in, and another one has ended meanwhile
				tries = 0
			}
		}
	}
	return nil
}

// move takes the one step that the run's rows call for. Every move changes
// rows: calls only move forward and model calls are bounded by max_steps and
// the one that hands in, so a run comes to an end.
func (x *execution) move(ctx context.Context) error {
	if ctx.Err() != nil {
		return x.interrupted(context.Cause(ctx))
	}
	if x.steered.take(x.run.ID) {
		if err := x.flush(); err != nil {
			return err
		}
		if err := x.resync(); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(x.family.children, func(c agent.Child) bool { return c.Status.Ended() }) {
		x.delegator.takeIn()
	}
	if limit := timeLimit(&x.run); limit > 0 && x.run.Active+x.clock.Now().Sub(x.since) >= limit {
		return x.interrupted(errTimeUp) // the timer that cancels the context is about to say so
	}
	if x.run.AbortBy != "" {
		return x.endAfterChildren(stoppedBy(x.run.AbortBy, x.run.Takeover), x.run.AbortBy)
	}
	if err := x.applyDecisions(); err != nil || x.run.Status != agent.StatusRunning {
		return err
	}
	switch {
	case x.approvals.asksAboutRun():
		return x.pause()
	case x.steering.skipsCalls():
		return x.steering.skipCalls()
	case x.calls.any(agent.CallValidating):
		return x.classify(ctx)
	case x.calls.sharesDue():
		x.share()
		return nil
	case len(x.executor.ready()) > 0:
		ready := x.executor.ready()
		if i := slices.IndexFunc(ready, isDelegation); i >= 0 {
			return x.delegator.delegate(ready[i])
		}
		return x.executor.execute(ctx, ready)
	case x.calls.any(agent.CallExecuting) && x.executor.unattended() != nil:
		return x.executor.continueCall(ctx, *x.executor.unattended())
	case x.approvals.undoable(x.clock.Now()), x.polling.anySleeps() && !x.approvals.open():
		return x.sleep()
	case x.approvals.open(), len(x.family.open()) > 0:
		if x.run.State.Workflow != nil {
			return x.followSteps(true)
		}
		return x.pause()
	case x.transcript.awaitsResults():
		x.answerCalls()
		return nil
	case x.steering.due():
		return x.steering.hear()
	case x.run.State.Terminate != nil && x.run.State.HandIn.Limit == "":
		how := terminated(*x.run.State.Terminate)
		how.hears = mayStep(&x.run)
		return x.end(how)
	case x.run.State.Workflow != nil:
		return x.followSteps(false)
	case x.transcript.last().Role == agent.FromAssistant && !x.run.State.Unfinished && x.run.State.DraftID == "":
		return x.conclude()
	default:
		return x.think(ctx)
	}
}

// classify decides of the calls of the newest answer, once the risk model has
// said what it thinks of them.
func (x *execution) classify(ctx context.Context) error {
	if x.run.State.Workflow == nil {
		if asked, err := x.advisers.assessRisk(ctx); asked || err != nil {
			return err
		}
	}
	stop, err := x.gate.classify()
	if stop == nil || err != nil {
		return err
	}
	return x.end(*stop)
}

// sleep lets go of the run until the first of its waiting calls is due, or the
// first decision can no longer be undone.
func (x *execution) sleep() error {
	if err := x.flush(); err != nil {
		return err
	}
	r := x.with(agent.StatusQueued)
	until := func(t time.Time) {
		if r.WakeAt.IsZero() || t.Before(r.WakeAt) {
			r.WakeAt = t
		}
	}
	for _, c := range x.calls.open() {
		if w, ok := x.polling.waitOf(c.ID); ok && c.State == agent.CallScheduled {
			until(w.NextAt)
		}
	}
	for _, a := range x.approvals.list {
		if a.Undoable(x.clock.Now()) {
			until(a.EffectiveAt)
		}
	}
	return x.commit(agent.Change{Run: r})
}
