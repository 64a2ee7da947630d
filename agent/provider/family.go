package provider

import (
	"net/url"
	"slices"
	"strings"
)

// Family is a kind of endpoint, as far as requests to it differ: what an
// endpoint sends is told from the wire. The zero value is the documented
// protocol.
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

// hosts are the ends of the host names at which families are at home.
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
	// Window is how many tokens prompt and answer may have together, 0 if unknown.
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
