package provider

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"fusebox/agent"
	"fusebox/agent/provider/answer"
)

// Family is a kind of endpoint, told apart by what it wants of requests: what an
// endpoint sends is told from the wire. The zero value is the documented protocol.
type Family string

// The families with habits of their own; see quirk.go.
const (
	Plain    Family = ""
	Azure    Family = "azure"
	DeepSeek Family = "deepseek"
	Kimi     Family = "kimi"
	Qwen     Family = "qwen"
	Gemini   Family = "gemini"
	Mistral  Family = "mistral"
	Ollama   Family = "ollama"
)

// Families are all of them that can be named in a configuration.
var Families = []Family{Azure, DeepSeek, Gemini, Kimi, Mistral, Ollama, Qwen}

// Valid reports whether f is one of the families.
func (f Family) Valid() bool { return f == Plain || slices.Contains(Families, f) }

// hosts are the ends of the families' host names.
var hosts = []struct {
	end    string
	family Family
}{
	{".openai.azure.com", Azure},
	{"api.deepseek.com", DeepSeek},
	{"api.moonshot.ai", Kimi},
	{"api.moonshot.cn", Kimi},
	{"dashscope.aliyuncs.com", Qwen},
	{"dashscope-intl.aliyuncs.com", Qwen},
	{"dashscope-us.aliyuncs.com", Qwen},
	{"generativelanguage.googleapis.com", Gemini},
	{"api.mistral.ai", Mistral},
}

// keyHeaders are the headers for the key in families that want no bearer token.
var keyHeaders = map[Family]string{Azure: "api-key"}

// familyOf guesses the family of an address; Plain where nothing is known of it.
func familyOf(base *url.URL) Family {
	for _, h := range hosts {
		name, label := base.Hostname(), strings.HasPrefix(h.end, ".")
		if name == h.end || label && strings.HasSuffix(name, h.end) {
			return h.family
		}
	}
	if base.Port() == "11434" {
		return Ollama
	}
	return Plain
}

// Model is what is known of one model of an endpoint. The zero values of all
// but the name are the defaults.
type Model struct {
	Name string // as the endpoint knows it
	// Family replaces the endpoint's.
	Family Family
	// Window bounds the tokens of prompt and answer together, 0 if unknown.
	Window int64
	// Vision says that it is sent pictures. Vision and Thinking are shown to people who choose.
	Vision, Thinking bool
	// WholeWithTools asks for answers in one piece where tools are offered:
	// some servers break streams with calls.
	WholeWithTools bool
	// Extra are top-level keys of each request, such as enable_thinking.
	Extra map[string]any
}

// model returns what is known of a model; one that is not listed is like its endpoint.
func (p *Provider) model(name string) Model {
	m := Model{Name: name}
	if i := slices.IndexFunc(p.models, func(m Model) bool { return m.Name == name }); i >= 0 {
		m = p.models[i]
	}
	if m.Family == Plain {
		m.Family = p.family
	}
	m.Vision = m.Vision || p.listsSight(name)
	return m
}

// think asks a model that can think to do so, or not to, in the words of its family. What
// an endpoint does not take is left out after its first refusal; see quirk.go.
func (o *outgoing) think(m Model, t agent.Thinking) {
	if !m.Thinking || t.Mode == "" {
		return
	}
	on := t.Mode == agent.ThinkingOn
	switch m.Family {
	case Qwen:
		o.extra["enable_thinking"] = on
		delete(o.extra, "thinking_budget")
		if t.Tokens > 0 {
			o.extra["thinking_budget"] = t.Tokens
		}
	case DeepSeek, Kimi:
		o.extra["thinking"] = map[string]string{"type": map[bool]string{true: "enabled", false: "disabled"}[on]}
	case Gemini, Azure, Mistral, Ollama, Plain:
		o.extra["reasoning_effort"] = effort(t)
	}
}

// The budgets up to which thinking is of low and of medium effort.
const (
	lowEffort    = 2048
	mediumEffort = 16384
)

// effort is a budget as endpoints take it that know none.
func effort(t agent.Thinking) string {
	switch {
	case t.Mode == agent.ThinkingOff:
		return "none"
	case t.Tokens == 0 || t.Tokens > lowEffort && t.Tokens <= mediumEffort:
		return "medium"
	case t.Tokens <= lowEffort:
		return "low"
	default:
		return "high"
	}
}

// From how many tokens on, and how much smaller than our count, a provider's
// own count of the prompt means that it has left some of it out.
const (
	truncationFrom  = 2000
	truncationShare = 0.6
)

// tellTruncation says so where an endpoint has silently left out the beginning
// of a prompt that is longer than it reads; Ollama does.
func (p *Provider) tellTruncation(q question, acc *answer.Accumulator) error {
	if acc.Told().Input == 0 || q.model.Family != Ollama {
		return nil
	}
	sent, read := p.CountPrompt(q.req), acc.Told().Input
	if sent < truncationFrom || float64(read) >= truncationShare*float64(sent) {
		return nil
	}
	return acc.Send(agent.Delta{Kind: agent.DeltaNotice, Text: fmt.Sprintf(
		"The endpoint read only %d of about %d tokens of this conversation: its context is set too small (num_ctx of Ollama).", read, sent)})
}
