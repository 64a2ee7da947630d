package agent

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

// each applies f to every amount.
func (t Tokens) each(f func(int64) int64) Tokens {
	return Tokens{f(t.InputTokens), f(t.CachedTokens), f(t.OutputTokens), f(t.ReasoningTokens)}
}
