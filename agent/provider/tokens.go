package provider

import (
	"hash/maphash"
	"sync"

	"fusebox/agent"
	"fusebox/agent/provider/answer"
	"fusebox/agent/provider/history"
	"fusebox/agent/provider/o200k"
)

// What the chat format itself costs: around each message, each tool, and
// before the answer.
const (
	tokensPerMessage = 4
	tokensPerTool    = 8
	tokensPerAnswer  = 3
	// tokensPerImage is about what a picture takes of the prompt.
	tokensPerImage = 1000
)

// exactBytes is how much of a text is counted exactly; of a longer one three
// samples of a third each speak for the rest. cacheSize is how many texts are
// remembered across runs: each run counts the history that it begins with.
const (
	exactBytes = 96 << 10
	cacheSize  = 32 << 10
)

// tokenCounter counts with the o200k table. Other models' tokenizers differ by
// some percent, so its figures are estimates and marked as such.
type tokenCounter struct {
	seed  maphash.Seed
	mu    sync.Mutex
	cache map[uint64]int64
}

// CountText implements agent.TokenCounter.
func (p *Provider) CountText(text string) int64 { return p.tokens.count(text) }

// CountPrompt implements agent.TokenCounter.
func (p *Provider) CountPrompt(req agent.Request) int64 {
	n := int64(tokensPerAnswer)
	if req.System != "" {
		n += tokensPerMessage + p.tokens.count(req.System)
	}
	if req.Schema != nil {
		n += tokensPerTool + p.tokens.count(string(req.Schema))
	}
	for _, t := range req.Tools {
		n += p.tools.of(t).tokens
	}
	from := p.thoughtsFrom(req.Model)
	n += history.Of(req).Count(from, req.Messages, func(m agent.Message) int64 { return p.tokens.countMessage(m, from) })
	if p.sees(p.model(req.Model)) {
		n += tokensPerImage * int64(history.Pictures(req.Messages))
	}
	return n
}

// countMessage counts a message for a model that gets its thoughts back if they
// come from the given origin.
func (t *tokenCounter) countMessage(m agent.Message, thoughtsFrom string) int64 {
	n := tokensPerMessage + t.count(m.Content)
	if len(m.ToolCalls) > 0 && thoughtsFrom != "" && history.ReadSignatures(m.Data).From == thoughtsFrom {
		n += t.count(m.Reasoning)
	}
	for _, c := range m.ToolCalls {
		n += answer.TokensPerCall + t.count(c.Name) + t.count(c.Arguments)
	}
	return n
}

// thoughtsFrom is the origin of the reasoning that a model gets back: most get
// none, which is "", and none gets what another one thought.
func (p *Provider) thoughtsFrom(model string) string {
	m := p.model(model)
	out := newOutgoing(question{model: m}, p.origin(m), p.signer(m))
	out.apply(m.Family, p.capabilities.of(model, p.clock.Now()))
	if !out.reasoning {
		return ""
	}
	return out.from
}

// estimate is the usage of an answer whose provider reported none: of all that the
// model made, also of what was dropped, because it was made all the same.
func (p *Provider) estimate(q question, acc *answer.Accumulator) func() agent.Usage {
	return func() agent.Usage {
		sent := q.req
		sent.Messages = q.history
		u := agent.Usage{Tokens: agent.Tokens{InputTokens: p.CountPrompt(sent), ReasoningTokens: p.tokens.count(acc.Reasoning())}, Estimated: true}
		u.OutputTokens = max(acc.Made(), u.ReasoningTokens)
		return u
	}
}

func (t *tokenCounter) count(text string) int64 {
	if text == "" {
		return 0
	}
	key := maphash.String(t.seed, text)
	t.mu.Lock()
	n, known := t.cache[key]
	t.mu.Unlock()
	if known {
		return n
	}
	n = measure(text)
	t.mu.Lock()
	if len(t.cache) >= cacheSize {
		clear(t.cache)
	}
	t.cache[key] = n
	t.mu.Unlock()
	return n
}

// measure counts a text anew.
func measure(text string) int64 {
	if len(text) <= exactBytes {
		return int64(o200k.Count(text))
	}
	const third = exactBytes / 3
	middle := len(text)/2 - third/2
	sample := o200k.Count(text[:third]) + o200k.Count(text[middle:middle+third]) + o200k.Count(text[len(text)-third:])
	return int64(sample) * int64(len(text)) / (3 * third)
}
