package history

import (
	"strings"

	"fusebox/agent"
)

// Flatten tells calls and results as plain text. It is the last resort for an
// endpoint that refuses a history that is sound: no rule about calls can be
// broken where there are none.
func Flatten(history []agent.Message) []agent.Message {
	names := make(map[string]string)
	out := make([]agent.Message, 0, len(history))
	for _, m := range history {
		switch {
		case m.Role == agent.FromTool:
			out = append(out, agent.Message{Role: agent.FromUser, Content: "[Result of " + names[m.ToolCallID] + "]\n" + m.Content})
		case len(m.ToolCalls) > 0:
			lines := []string{m.Content}
			for _, c := range m.ToolCalls {
				names[c.ID] = c.Name
				lines = append(lines, "[Called "+c.Name+" with "+c.Arguments+"]")
			}
			out = append(out, agent.Message{Role: agent.FromAssistant, Content: strings.TrimSpace(strings.Join(lines, "\n"))})
		default:
			out = append(out, m)
		}
	}
	return out
}
