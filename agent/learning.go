package agent

import (
	"slices"
	"time"
)

// FewDecisions is how many decisions with a clear meaning it takes to say
// anything about a detector.
const FewDecisions = 5

// Judgement is what a decision says about the pause it was made on.
type Judgement string

// The judgements.
const (
	FalseAlarm Judgement = "false_alarm" // the run was fine
	RealLoop   Judgement = "loop"        // the person ended or redirected the run
	Unclear    Judgement = "unclear"     // the run has not ended, or ended for another reason
)

// LoopDecision is a decided loop approval, with how its run stands.
type LoopDecision struct {
	Approval
	RunStatus  Status
	StopReason StopReason
}

// DecisionWays counts decisions by what people chose. The first four let the
// run continue as it was; the others ended or redirected it.
type DecisionWays struct {
	NotLoop   int `json:"notLoop"`
	AllowMore int `json:"allowMore"`
	AsPolling int `json:"asPolling"`
	Continued int `json:"continued"`
	Guided    int `json:"guided"`
	WrappedUp int `json:"wrappedUp"`
	TakenOver int `json:"takenOver"`
	Ended     int `json:"ended"`
}

// DetectorDecisions is what people decided on the pauses of one detector.
type DetectorDecisions struct {
	Detector    string       `json:"detector"`
	Decisions   int          `json:"decisions"`
	FalseAlarms int          `json:"falseAlarms"`
	Loops       int          `json:"loops"`
	Unclear     int          `json:"unclear"`
	Ways        DecisionWays `json:"ways"`
	// TooFew is set where the clear decisions are too few to say anything.
	TooFew bool `json:"tooFew"`
}

// Judge says what a decision means, apart from other decisions on its run.
func (d LoopDecision) Judge() Judgement {
	var ways DecisionWays
	switch way := d.way(&ways); {
	case way == &ways.NotLoop || way == &ways.AllowMore || way == &ways.AsPolling:
		return FalseAlarm
	case way != &ways.Continued || d.RunStatus == StatusAborted || d.StopReason == StopLoop:
		return RealLoop
	case d.RunStatus == StatusFinished:
		return FalseAlarm
	default:
		return Unclear
	}
}

// way is the counter for what was chosen.
func (d LoopDecision) way(w *DecisionWays) *int {
	switch {
	case d.NotLoop:
		return &w.NotLoop
	case d.Decision == DecideTakeover:
		return &w.TakenOver
	case d.Decision != DecideResume:
		return &w.Ended
	case d.Answer == ResumeFinishNow:
		return &w.WrappedUp
	case d.Answer == ResumeAllowMore:
		return &w.AllowMore
	case d.Answer == ResumeAsPolling:
		return &w.AsPolling
	case d.Comment != "":
		return &w.Guided
	default:
		return &w.Continued
	}
}

// JudgeRuns judges whole runs: one with a real loop had one, whatever else was
// decided on it.
func JudgeRuns(decisions []LoopDecision) map[string]Judgement {
	weight := map[Judgement]int{Unclear: 1, FalseAlarm: 2, RealLoop: 3}
	runs := map[string]Judgement{}
	for _, d := range decisions {
		if j := d.Judge(); weight[j] > weight[runs[d.RunID]] {
			runs[d.RunID] = j
		}
	}
	return runs
}

// SumLoopDecisions sums decisions by detector, the one with the most false alarms first.
func SumLoopDecisions(decisions []LoopDecision) []DetectorDecisions {
	runs, sums := JudgeRuns(decisions), []DetectorDecisions{}
	for _, d := range decisions {
		ev, err := d.LoopEvidence()
		if err != nil || ev.Detector == "" {
			continue // written by a newer program
		}
		i := slices.IndexFunc(sums, func(s DetectorDecisions) bool { return s.Detector == ev.Detector })
		if i < 0 {
			i, sums = len(sums), append(sums, DetectorDecisions{Detector: ev.Detector})
		}
		s := &sums[i]
		way, judgement := d.way(&s.Ways), d.Judge()
		if way == &s.Ways.Continued && runs[d.RunID] == RealLoop {
			judgement = RealLoop // a run that a person ended later did not finish by itself
		}
		*way++
		s.Decisions++
		switch judgement {
		case FalseAlarm:
			s.FalseAlarms++
		case RealLoop:
			s.Loops++
		case Unclear:
			s.Unclear++
		}
	}
	for i := range sums {
		sums[i].TooFew = sums[i].FalseAlarms+sums[i].Loops < FewDecisions
	}
	slices.SortStableFunc(sums, func(a, b DetectorDecisions) int { return b.FalseAlarms - a.FalseAlarms })
	return sums
}

// Learning is what decisions on loop approvals teach about the detectors.
type Learning struct {
	Detectors []DetectorDecisions `json:"detectors"`
	// More is set where only the newest decisions were read.
	More bool `json:"more"`
	// Search is nil as long as nobody asked for suggestions.
	Search *LearningSearch `json:"search,omitempty"`
}

// LearningQuery asks which changes would have spared false alarms.
type LearningQuery struct {
	From, To  time.Time // of the runs: From included, To not
	Decisions []LoopDecision
}

// LearningSearch is what a search for better settings found.
type LearningSearch struct {
	// Runs and Calls count what was replayed; More is set where that is not all of the span.
	Runs  int  `json:"runs"`
	Calls int  `json:"calls"`
	More  bool `json:"more"`
	// Tried are the detectors that changes were tried for.
	Tried       []string             `json:"tried"`
	Suggestions []LearningSuggestion `json:"suggestions"`
}

// LearningSuggestion is a change that would have spared more false alarms than
// it would have missed loops: numbers, or a rule for one tool.
type LearningSuggestion struct {
	Detector string `json:"detector"`
	// Numbers are changed numbers by key, Was their present values.
	Numbers map[string]string `json:"numbers,omitempty"`
	Was     map[string]string `json:"was,omitempty"`
	Rule    *ToolRule         `json:"rule,omitempty"`
	Now     PauseCounts       `json:"now"`
	Then    PauseCounts       `json:"then"`
	// Spared and Missed are the runs that would no longer trip: false alarms, and real loops.
	Spared []BacktestChange `json:"spared"`
	Missed []BacktestChange `json:"missed"`
}

// PauseCounts counts runs that trip in a backtest, by what people decided on them.
type PauseCounts struct {
	FalseAlarms int `json:"falseAlarms"`
	Loops       int `json:"loops"`
	Others      int `json:"others"` // no decision, or an unclear one
}

// Count counts a run of a judgement.
func (p *PauseCounts) Count(j Judgement) {
	switch j {
	case FalseAlarm:
		p.FalseAlarms++
	case RealLoop:
		p.Loops++
	default:
		p.Others++
	}
}

// BacktestQuery asks what other numbers, or one more rule, would have made of
// past runs.
type BacktestQuery struct {
	From, To time.Time // From included, To not
	// Numbers are changed numbers by their key.
	Numbers map[string]string
	// Rule joins the rules in force; one without a tool adds none.
	Rule ToolRule
}

// BacktestResult is what a backtest found. A run trips where it would have
// been paused or stopped.
type BacktestResult struct {
	Runs  int              `json:"runs"`
	Calls int              `json:"calls"`
	Still int              `json:"still"` // runs that trip with and without the change
	New   []BacktestChange `json:"new"`
	Gone  []BacktestChange `json:"gone"`
	// More is set where not all runs of the span were replayed.
	More bool `json:"more"`
}

// BacktestChange is a run that trips either with or without the change.
type BacktestChange struct {
	RunID          string `json:"runId"`
	ConversationID string `json:"conversationId"`
	Title          string `json:"title"`
	Owner          string `json:"owner"`
	Step           int    `json:"step"`
	Level          string `json:"level"`
	Detector       string `json:"detector"`
	Count          int    `json:"count"`
	Message        string `json:"message"`
}

// Detector is what people know a detector by.
type Detector struct {
	Name    string
	Catches string // in one sentence
}
