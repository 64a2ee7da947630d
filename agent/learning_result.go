package agent

import "time"

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
