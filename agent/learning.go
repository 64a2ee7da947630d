package agent

import "slices"

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

// judgeIn judges a decision among those on its run: a run that was continued and
// that a person ended later did not finish by itself.
func (d LoopDecision) judgeIn(runs map[string]Judgement) Judgement {
	var ways DecisionWays
	if d.way(&ways) == &ways.Continued && runs[d.RunID] == RealLoop {
		return RealLoop
	}
	return d.Judge()
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
		sums[i].add(d, d.judgeIn(runs))
	}
	for i := range sums {
		sums[i].TooFew = sums[i].FalseAlarms+sums[i].Loops < FewDecisions
	}
	slices.SortStableFunc(sums, func(a, b DetectorDecisions) int { return b.FalseAlarms - a.FalseAlarms })
	return sums
}

func (s *DetectorDecisions) add(d LoopDecision, j Judgement) {
	s.Decisions++
	*d.way(&s.Ways)++
	switch j {
	case FalseAlarm:
		s.FalseAlarms++
	case RealLoop:
		s.Loops++
	case Unclear:
		s.Unclear++
	}
}
