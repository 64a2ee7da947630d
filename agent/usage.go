package agent

import "time"

// Usage counts the tokens of one or more model calls. Cached tokens are part
// of the input, reasoning tokens are part of the output.
type Usage struct {
	InputTokens     int64 `json:"inputTokens"`
	CachedTokens    int64 `json:"cachedTokens"`
	OutputTokens    int64 `json:"outputTokens"`
	ReasoningTokens int64 `json:"reasoningTokens"`
	// Estimated marks figures that come from our tokenizer because the provider sent none.
	Estimated bool `json:"estimated,omitempty"`
}

// Total is what a token budget counts: input and output.
func (u Usage) Total() int64 { return u.InputTokens + u.OutputTokens }

// Add returns the sum; it is estimated as soon as one part of it is.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		InputTokens:     u.InputTokens + v.InputTokens,
		CachedTokens:    u.CachedTokens + v.CachedTokens,
		OutputTokens:    u.OutputTokens + v.OutputTokens,
		ReasoningTokens: u.ReasoningTokens + v.ReasoningTokens,
		Estimated:       u.Estimated || v.Estimated,
	}
}

// Price is what a model costs, in micro-USD per million tokens.
type Price struct {
	Input     int64
	Cached    int64
	Output    int64
	Reasoning int64 // 0 prices reasoning as output
}

// Cost is the price of u in micro-USD, rounded half up once per call of Cost
// (so once per step). Cached input replaces the input price for its share.
func (p Price) Cost(u Usage) int64 {
	reasoning := p.Reasoning
	if reasoning == 0 {
		reasoning = p.Output
	}
	sum := (u.InputTokens-u.CachedTokens)*p.Input + u.CachedTokens*p.Cached +
		(u.OutputTokens-u.ReasoningTokens)*p.Output + u.ReasoningTokens*reasoning
	return (sum + 500_000) / 1_000_000
}

// StepKind says what a model call was for.
type StepKind string

// The kinds of model calls.
const (
	StepAnswer  StepKind = ""
	StepJudge   StepKind = "judge"
	StepOpinion StepKind = "second_opinion"
	StepRisk    StepKind = "risk"
	// StepCompaction is a summary of earlier messages.
	StepCompaction StepKind = "compaction"
)

// Step is one model call of a run and its line in the ledger.
type Step struct {
	RunID string
	N     int // from 1
	// Kind is StepAnswer, or what else took tokens beside that step.
	Kind           StepKind
	ConversationID string
	UserID         string
	Model          string
	Usage          Usage
	CostMicros     int64
	FinishReason   string
	StartedAt      time.Time
	EndedAt        time.Time
}
