package agenttest

import (
	"fmt"

	"fusebox/agent"
)

// strict checks a request against what the strictest providers ask of a
// history: every call is answered by exactly one result, directly behind the
// answer that made it and in its order, and nothing answers what was not asked.
func strict(messages []agent.Message) error {
	var missing []agent.CallRequest
	asked := map[string]bool{}
	for i, m := range messages {
		switch {
		case len(missing) > 0 && (m.Role != agent.FromTool || m.ToolCallID != missing[0].ID):
			return fmt.Errorf("message %d: the result of call %s must be here", i, missing[0].ID)
		case len(missing) == 0 && m.Role == agent.FromTool:
			return fmt.Errorf("message %d: a result of %s, which nobody asked for", i, m.ToolCallID)
		case m.Role == agent.FromTool:
			missing = missing[1:]
		case m.Role == agent.FromAssistant && m.Content == "" && len(m.ToolCalls) == 0:
			return fmt.Errorf("message %d: an empty answer", i)
		}
		for _, c := range m.ToolCalls {
			if c.ID == "" || asked[c.ID] {
				return fmt.Errorf("message %d: the id %q of a call is empty or taken", i, c.ID)
			}
			asked[c.ID] = true
			missing = append(missing, c)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("the history ends without the result of call %s", missing[0].ID)
	}
	return nil
}
