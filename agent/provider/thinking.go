package provider

import "fusebox/agent"

// think asks a model that can think to do so, or not to, in the words of its family. What
// an endpoint does not take is left out once it has refused it; see quirk.go.
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
