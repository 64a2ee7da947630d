package provider

import (
	"hash/maphash"
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"

	"fusebox/agent"
	"fusebox/agent/provider/answer"
)

// What the chat format itself costs: around each message, each tool, and
// before the answer.
const (
	tokensPerMessage = 4
	tokensPerTool    = 8
	tokensPerAnswer  = 3
)

// exactBytes is how much of a text is counted exactly; of a longer one three
// samples of a third each speak for the rest. cacheFrom and cacheSize bound
// what is remembered: histories are counted again at every step.
const (
	exactBytes = 96 << 10
	cacheFrom  = 256
	cacheSize  = 4096
)

// tokenCounter counts with the o200k table. Other models' tokenizers differ by
// some percent, so its figures are estimates and marked as such.
type tokenCounter struct {
	codec func() *codec.Codec
	seed  maphash.Seed
	mu    sync.Mutex
	cache map[uint64]int64
}

func newTokenCounter() *tokenCounter {
	return &tokenCounter{codec: loadCodec, seed: maphash.MakeSeed(), cache: make(map[uint64]int64)}
}

// loadCodec builds the table at its first use: that takes a moment and memory
// that a process may never need. The package tokenizer is not imported because
// it links the tables of three other vocabularies.
var loadCodec = sync.OnceValue(codec.NewO200kBase)

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
	thoughts := p.thoughtsGoBack(req.Model)
	for _, m := range req.Messages {
		n += tokensPerMessage + p.tokens.count(m.Content)
		if len(m.ToolCalls) > 0 {
			n += p.tokens.count(thoughts(m))
		}
		for _, c := range m.ToolCalls {
			n += answer.TokensPerCall + p.tokens.count(c.Name) + p.tokens.count(c.Arguments)
		}
	}
	for _, t := range req.Tools {
		n += tokensPerTool + p.tokens.count(t.Name) + p.tokens.count(t.Description) + p.tokens.count(string(t.Parameters))
	}
	return n
}

// thoughtsGoBack tells what of a message's reasoning a model gets back: to most
// nothing, and to none what another one thought.
func (p *Provider) thoughtsGoBack(model string) func(agent.Message) string {
	m := p.model(model)
	out := newOutgoing(question{model: m}, p.origin(m))
	out.apply(m.Family, p.capabilities.of(model))
	return func(m agent.Message) string {
		if !out.reasoning || readSignatures(m.Data).From != out.from {
			return ""
		}
		return m.Reasoning
	}
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
	if len(text) < cacheFrom {
		return t.measure(text)
	}
	key := maphash.String(t.seed, text)
	t.mu.Lock()
	n, known := t.cache[key]
	t.mu.Unlock()
	if known {
		return n
	}
	n = t.measure(text)
	t.mu.Lock()
	if len(t.cache) >= cacheSize {
		clear(t.cache)
	}
	t.cache[key] = n
	t.mu.Unlock()
	return n
}

func (t *tokenCounter) measure(text string) int64 {
	if len(text) <= exactBytes {
		return t.exact(text)
	}
	const third = exactBytes / 3
	middle := len(text)/2 - third/2
	sample := t.exact(text[:third]) + t.exact(text[middle:middle+third]) + t.exact(text[len(text)-third:])
	return sample * int64(len(text)) / (3 * third)
}

func (t *tokenCounter) exact(text string) int64 {
	if text == "" {
		return 0
	}
	if n, err := t.codec().Count(text); err == nil {
		return int64(n)
	}
	return int64(utf8.RuneCountInString(text))/3 + 1
}
