package agent

import "time"

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
