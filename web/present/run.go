package present

import (
	"slices"
	"strconv"
	"time"

	"fusebox/agent"
	"fusebox/agent/fingerprint"
	"fusebox/views/part"
	"fusebox/views/text"
)

// RunView is what the fuse panel knows of the newest run.
type RunView struct {
	id     string
	Status agent.Status
	// Place is the place of a queued run among those that wait, 0 while nothing is known of it.
	Place      int
	limits     agent.Limits
	steps      int
	usedTokens int64
	cost       int64
	// belowTokens and belowCost are what the runs below it took.
	belowTokens, belowCost int64
	// tooLong says that the output limit ended the newest answer.
	tooLong bool
	// unpriced counts the model calls without a price, priced those with one.
	unpriced, priced int64
	// active is the running time up to since; since is zero while nothing runs.
	active time.Duration
	since  time.Time
	// executing is the newest call that a tool was started for.
	executing string
	retries   int
	tries     int // the most there may be

	// streak counts the newest calls that are the same in a row, as the simplest
	// guard does, so that the meter moves before any guard speaks.
	streak    int
	lastCall  string
	loop      string // level of the fuse
	loopCount int
	loopLimit int
	loopAt    string // where its evidence is

	// question is the newest approval that asks the owner something, aborting the one
	// whose decision ends the run, as long as it can be undone.
	question, aborting string

	// tripped holds, by the fuse's name, where its evidence is.
	tripped fuseTrips
}

// fuseTrips is where the evidence of the tripped fuses is; "" is not tripped.
type fuseTrips struct{ steps, tokens, cost, time, retry string }

// NewRunView is a run of which nothing is known yet.
func NewRunView(id string, loopLimit int) RunView {
	return RunView{id: id, Status: agent.StatusQueued, loop: part.Cool, loopLimit: loopLimit, tries: defaultTries}
}

// defaultTries is what the panel shows before the first retry names the limit.
const defaultTries = 10

func (r RunView) panelDiffers(before RunView) bool {
	before.id, before.lastCall, before.executing, before.Place = r.id, r.lastCall, r.executing, r.Place
	before.question, before.aborting = r.question, r.aborting
	return r != before
}

// stateDiffers reports whether the line about the run in the composer changes.
func (r RunView) stateDiffers(before RunView) bool {
	return r.id != before.id || r.Status != before.Status || r.waits() != before.waits() || r.question != before.question || r.aborting != before.aborting
}

// Fold takes an event's figures over.
func (r *RunView) Fold(e agent.Event) {
	switch d := e.Data.(type) {
	case agent.RunStart:
		r.id, r.limits = e.RunID, d.Limits
		r.start(e.At)
	case agent.StepStart:
		r.steps = max(r.steps, e.Step)
		r.start(e.At)
	case agent.StepFinish:
		r.usedTokens += d.Usage.Total()
		r.tooLong = d.FinishReason == "length"
		r.cost += d.CostMicros
		if d.Unpriced {
			r.unpriced++
		} else {
			r.priced++
		}
	case agent.BudgetEvent:
		if d.Scope == "run" && d.BudgetID == "" { // the meters are those of the run itself
			r.usedTokens, r.limits.Tokens = ofRunAlone(d.UsedTokens, r.usedTokens, r.belowTokens), d.LimitTokens
			r.cost, r.limits.CostMicros = ofRunAlone(d.UsedMicros, r.cost, r.belowCost), d.LimitMicros
		}
	case agent.RetryEvent:
		r.retries, r.tries = max(r.retries, d.Attempt), d.MaxAttempts
	case agent.MessageEvent:
		r.calls(d.Message)
	case agent.GuardEvent:
		r.guard(e, d)
	case agent.ApprovalRequestedEvent:
		r.asked(d)
	case agent.ApprovalDecidedEvent:
		r.decided(d)
	case agent.ToolCallStateEvent:
		r.call(e, d)
	case agent.RunPaused:
		r.stop(e.At, agent.StatusPaused)
	case agent.RunResumed:
		r.start(e.At)
	case agent.Finish:
		r.finish(e, d)
	}
}

func (r *RunView) start(at time.Time) {
	r.Status = agent.StatusRunning
	if r.since.IsZero() {
		r.since = at
	}
}

func (r *RunView) stop(at time.Time, s agent.Status) {
	r.Status = s
	if !r.since.IsZero() {
		r.active += at.Sub(r.since)
		r.since = time.Time{}
	}
}

// ofRunAlone is what the run itself has used. An event tells that after a model call, and what
// the whole tree has used where that is too much.
func ofRunAlone(told, own, below int64) int64 {
	if below > 0 && told >= own+below {
		return told - below
	}
	return told
}

// AddBelow counts what runs below took.
func (r *RunView) AddBelow(tokens, cost int64) {
	r.belowTokens += tokens
	r.belowCost += cost
}

// calls follows the streak of same calls; another call ends it.
func (r *RunView) calls(m agent.Message) {
	if m.Role != agent.FromAssistant {
		return
	}
	for _, c := range m.ToolCalls {
		call := c.Name + "/" + fingerprint.Args(c.Arguments, nil)
		if call == r.lastCall {
			r.streak++
			continue
		}
		r.streak, r.lastCall = 1, call
		if r.loopCount < r.loopLimit {
			r.loop, r.loopCount = part.Cool, 0
		}
	}
}

// limitGuards have fuses of their own, or none; the others judge loops.
var limitGuards = []string{"max_steps", "max_duration", "consecutive_errors"}

func (r *RunView) guard(e agent.Event, d agent.GuardEvent) {
	if slices.Contains(limitGuards, d.Detector) {
		return
	}
	r.loopCount = d.Count
	switch d.Level {
	case agent.Warn.String():
		r.loop = part.Warm
	case agent.Stop.String():
		r.loop, r.loopAt, r.loopLimit = part.Tripped, lineID(e), d.Count
	default:
		r.loop, r.loopLimit = part.Tripped, d.Count
	}
}

// call follows a call that waits outside the model: between two tries no time
// runs.
func (r *RunView) call(e agent.Event, d agent.ToolCallStateEvent) {
	switch {
	case d.State == agent.CallExecuting:
		r.executing = d.ToolCallID
		r.start(e.At)
	case d.State == agent.CallScheduled && d.ToolCallID == r.executing:
		r.stop(e.At, agent.StatusRunning)
	}
}

// waits reports whether the run waits for a result that changes.
func (r *RunView) waits() bool { return r.Status == agent.StatusRunning && r.since.IsZero() }

func (r *RunView) asked(d agent.ApprovalRequestedEvent) {
	if d.ApprovalID == r.aborting {
		r.aborting = ""
	}
	card := "#" + CardID(d.ApprovalID)
	switch d.Kind {
	case agent.KindLoop:
		r.loop, r.loopAt = part.Tripped, card
	case agent.KindBudget:
		if ev, _ := agent.Evidence(d.Evidence).Budget(); ofMoney(ev) {
			r.tripped.cost = card
		} else {
			r.tripped.tokens = card
		}
	case agent.KindQuestion:
		if ev, _ := agent.Evidence(d.Evidence).Question(); ev.Draft == "" { // what is written about a draft is not the text itself
			r.question = d.ApprovalID
		}
	case agent.KindTool, agent.KindOutcome:
	}
}

// decided puts a fuse back in; it stays warm, its meter is as full as before.
func (r *RunView) decided(d agent.ApprovalDecidedEvent) {
	if d.ApprovalID == r.question {
		r.question = ""
	}
	if d.Decision == string(agent.DecideAbort) && !d.UndoUntil.IsZero() {
		r.aborting = d.ApprovalID
	}
	if d.Decision == string(agent.DecideAbort) || d.Decision == cancelled || d.Decision == expired {
		return
	}
	switch agent.ApprovalKind(d.Kind) {
	case agent.KindLoop:
		r.loop, r.loopAt = part.Warm, ""
	case agent.KindBudget:
		r.tripped.tokens, r.tripped.cost = "", ""
	case agent.KindTool, agent.KindQuestion, agent.KindOutcome:
	}
}

func (r *RunView) finish(e agent.Event, d agent.Finish) {
	r.stop(e.At, d.Status)
	r.question, r.aborting = "", ""
	if r.loop == part.Warm { // what was near its limit has ended with the run
		r.loop, r.loopCount, r.streak = part.Cool, 0, 0
	}
	r.usedTokens, r.cost = d.Usage.Total(), d.CostMicros
	at := lineID(e)
	switch d.StopReason {
	case agent.StopMaxSteps:
		r.tripped.steps = at
	case agent.StopTimeout:
		r.tripped.time = at
	case agent.StopTokenBudget:
		r.tripped.tokens = at
	case agent.StopCostBudget:
		r.tripped.cost = at
	case agent.StopProviderError:
		if r.retries > 0 { // what was refused at once had no retries
			r.tripped.retry = at
		}
	case agent.StopGoal, agent.StopTerminateTool, agent.StopLoop, agent.StopConsecutiveErrors, agent.StopRejected, agent.StopApprovalExpired, agent.StopUserAbort:
	}
}

// price is what the run costs, as far as anybody knows.
func (r *RunView) price(tr *text.Printer) string {
	switch {
	case r.unpriced == 0:
		return Money(r.cost)
	case r.priced == 0:
		return tr.T("present.usage.no_price")
	default:
		return tr.T("present.usage.partly_priced", r.unpriced, Money(r.cost))
	}
}

// lineID links to what is shown of an event.
func lineID(e agent.Event) string { return "#e-" + strconv.FormatInt(e.Seq, 10) }
