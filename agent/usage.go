package agent

import (
	"slices"
	"time"
)

// Usage counts the tokens of one or more model calls.
type Usage struct {
	Tokens
	// Estimated marks figures that come from our tokenizer because the provider sent none.
	Estimated bool `json:"estimated,omitempty"`
}

// Add returns the sum; it is estimated as soon as one part of it is.
func (u Usage) Add(v Usage) Usage {
	return Usage{Tokens: u.Tokens.Add(v.Tokens), Estimated: u.Estimated || v.Estimated}
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
	// StepEmbedding turned passages or a question into vectors. It is of no run.
	StepEmbedding StepKind = "embedding"
	// StepTitle named a conversation. It is of no run; in rows its RunID is the conversation's id.
	StepTitle StepKind = "title"
)

// OfRun reports whether calls of the kind are made by runs.
func (k StepKind) OfRun() bool { return k != StepEmbedding && k != StepTitle }

// Step is one model call and its line in the ledger: of a run, if its kind is.
type Step struct {
	RunID string
	N     int // from 1
	// Kind is StepAnswer, or whatever else used tokens in that step.
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
	// NamedMicros is what the endpoint itself says that the call cost, 0 where it does
	// not: no budget counts it.
	NamedMicros int64
	// Unpriced says that the model's price was unknown: the cost is 0 for lack of it.
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

// Sum is what the step took.
func (s Step) Sum() SpendSum { return SpendSum{Tokens: s.Usage.Tokens, CostMicros: s.CostMicros} }

// Shares parts a step's usage and cost among the calls of its answer, by tool,
// to the last token and micro-USD: the first call takes what does not divide. A
// step without calls is all under "".
func (s Step) Shares() map[string]SpendSum {
	whole := s.Sum()
	var calls int64
	for _, t := range s.Tools {
		calls += t.Calls
	}
	if calls == 0 {
		return map[string]SpendSum{"": whole}
	}
	shares := map[string]SpendSum{}
	for i, t := range s.Tools {
		part := whole.each(func(amount int64) int64 { return amount / calls * t.Calls })
		if i == 0 {
			part = part.Add(whole.each(func(amount int64) int64 { return amount % calls }))
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

// ModelUsage is what a model took.
type ModelUsage struct {
	Model string
	Usage Usage
	// NamedMicros is what the endpoint itself says that it cost, 0 where it does not say
	// so of all of it.
	NamedMicros int64
}

// Spent is what the tries of one call took, by model, in the order in which the
// models were asked: the last one is that of the answer.
type Spent []ModelUsage

// With returns what was spent with one more try.
func (s Spent) With(try ModelUsage) Spent {
	if try.Usage == (Usage{}) {
		return s
	}
	s = slices.Clone(s)
	i := slices.IndexFunc(s, func(m ModelUsage) bool { return m.Model == try.Model })
	if i < 0 {
		return append(s, try)
	}
	s[i].Usage = s[i].Usage.Add(try.Usage)
	if s[i].NamedMicros == 0 || try.NamedMicros == 0 {
		s[i].NamedMicros = 0
	} else {
		s[i].NamedMicros += try.NamedMicros
	}
	return s
}

// Total is the sum over all models.
func (s Spent) Total() (sum Usage) {
	for _, m := range s {
		sum = sum.Add(m.Usage)
	}
	return sum
}

// Tokens are amounts of tokens. Cached tokens are part of the input, reasoning
// tokens are part of the output.
type Tokens struct {
	InputTokens     int64 `json:"inputTokens"`
	CachedTokens    int64 `json:"cachedTokens"`
	OutputTokens    int64 `json:"outputTokens"`
	ReasoningTokens int64 `json:"reasoningTokens"`
}

// Total is what a token budget counts: input and output.
func (t Tokens) Total() int64 { return t.InputTokens + t.OutputTokens }

// Add returns the sum of both.
func (t Tokens) Add(o Tokens) Tokens {
	return Tokens{
		InputTokens:     t.InputTokens + o.InputTokens,
		CachedTokens:    t.CachedTokens + o.CachedTokens,
		OutputTokens:    t.OutputTokens + o.OutputTokens,
		ReasoningTokens: t.ReasoningTokens + o.ReasoningTokens,
	}
}

func (t Tokens) each(f func(int64) int64) Tokens {
	return Tokens{f(t.InputTokens), f(t.CachedTokens), f(t.OutputTokens), f(t.ReasoningTokens)}
}

// NamedCost is what an endpoint says that calls of a model cost, beside what they cost by
// the price list.
type NamedCost struct {
	Model       string
	Calls       int64
	NamedMicros int64
	CostMicros  int64
}

// namedPercent is by how many percent both may differ: roundings, and fees.
const namedPercent = 5

// Differs reports whether the price list is off.
func (c NamedCost) Differs() bool {
	off := c.NamedMicros - c.CostMicros
	return max(off, -off)*100 > max(c.NamedMicros, c.CostMicros)*namedPercent
}
