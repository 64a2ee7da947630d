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

// StepKind says what a model call was for.
type StepKind string

// The kinds of model calls.
const (
	StepAnswer  StepKind = ""
	StepJudge   StepKind = "judge"
	StepOpinion StepKind = "second_opinion"
	StepRisk    StepKind = "risk"
	// StepVoid is what another model took before the one that answered, because it
	// broke off.
	StepVoid StepKind = "void"
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
	// GroupName is the user's group at the time.
	GroupName string
	Model     string
	// Provider is the endpoint that answered, RequestID its name for the call.
	Provider  string
	RequestID string
	// Tools are those that the answer called, in their order.
	Tools      []ToolUse
	Usage      Usage
	CostMicros int64
	// Unpriced says that nobody knew the model's price: the cost is 0 for want of it.
	Unpriced     bool
	FinishReason string
	StartedAt    time.Time
	EndedAt      time.Time
}

// ToolUse is a tool that an answer called.
type ToolUse struct {
	Name  string `json:"name"`
	Calls int64  `json:"calls"`
	// First marks the first step of the run that called it; the store sets it.
	First bool `json:"first,omitempty"`
}

// Shares parts a step's usage and cost among the calls of its answer, by tool,
// to the last token and micro-USD: the first call takes what does not divide. A
// step without calls is all under "".
func (s Step) Shares() map[string]SpendSum {
	whole := SpendSum{
		InputTokens: s.Usage.InputTokens, CachedTokens: s.Usage.CachedTokens, OutputTokens: s.Usage.OutputTokens,
		ReasoningTokens: s.Usage.ReasoningTokens, CostMicros: s.CostMicros,
	}
	var calls int64
	for _, t := range s.Tools {
		calls += t.Calls
	}
	if calls == 0 {
		return map[string]SpendSum{"": whole}
	}
	shares := map[string]SpendSum{}
	for i, t := range s.Tools {
		part := whole.times(t.Calls, calls)
		if i == 0 {
			part = part.Add(whole.rest(calls))
		}
		shares[t.Name] = shares[t.Name].Add(part)
	}
	return shares
}

// FirstCalls are the tools that the step's answer called first in its run.
func (s Step) FirstCalls() map[string]bool {
	first := map[string]bool{}
	for _, t := range s.Tools {
		first[t.Name] = first[t.Name] || t.First
	}
	return first
}
