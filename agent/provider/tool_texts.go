package provider

import (
	"sync"

	"fusebox/agent"
	"fusebox/agent/provider/history"
)

// maxToolTexts bounds the tools that are remembered.
const maxToolTexts = 2000

// toolText is what is made of a tool for requests, once.
type toolText struct {
	spec   agent.ToolSpec
	tokens int64
	raw    []byte // as it is sent
}

// toolTexts remembers tools by their names: they are the same in most requests.
type toolTexts struct {
	counter *tokenCounter
	mu      sync.Mutex
	known   map[string]toolText
}

func newToolTexts(counter *tokenCounter) *toolTexts {
	return &toolTexts{counter: counter, known: make(map[string]toolText)}
}

func (t *toolTexts) of(spec agent.ToolSpec) toolText {
	t.mu.Lock()
	text, ok := t.known[spec.Name]
	t.mu.Unlock()
	if ok && history.SameTool(text.spec, spec) {
		return text
	}
	text = t.make(spec)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.known) >= maxToolTexts {
		clear(t.known)
	}
	t.known[spec.Name] = text
	return text
}

func (t *toolTexts) make(spec agent.ToolSpec) toolText {
	count := t.counter.count
	return toolText{spec: spec, raw: agent.MustJSON(newTool(spec)), tokens: tokensPerTool + count(spec.Name) + count(spec.Description) + count(string(spec.Parameters))}
}

// encode is a list of tools as it is sent.
func (t *toolTexts) encode(specs []agent.ToolSpec) []byte {
	list := []byte("[")
	for i, spec := range specs {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, t.of(spec).raw...)
	}
	return append(list, ']')
}
