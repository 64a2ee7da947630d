package provider

import (
	"encoding/json"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// TestModelSeesItsMistake: arguments that were no JSON are in the next request as they were
// written, where endpoints that read arguments still take it.
func TestModelSeesItsMistake(t *testing.T) {
	t.Parallel()
	for name, wrote := range map[string]string{
		"single quotes":    `{'city': 'Rome'}`,
		"cut off":          `{"city": "Ro`,
		"a bare word":      `Rome`,
		"a list":           `["Rome"]`,
		"a comment inside": "{\"city\": \"Rome\" // the capital\n}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, raw("data: {\"choices\":[{\"delta\":{\"content\":\"Yes.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"))
			p, _ := newProvider(t, s.URL)
			req := hello()
			req.Messages = append(req.Messages,
				agent.Message{Role: agent.FromAssistant, ToolCalls: []agent.CallRequest{{ID: "c", Name: "get_weather", Arguments: wrote}}},
				agent.Message{Role: agent.FromTool, ToolCallID: "c", Content: "Error (invalid_tool_params): is not valid JSON"})
			if _, err := p.Complete(agenttest.Context(t), req, func(agent.Delta) error { return nil }); err != nil {
				t.Fatal(err)
			}
			var sent struct {
				Messages []struct {
					Content   string
					ToolCalls []struct{ Function struct{ Arguments string } } `json:"tool_calls"`
				}
			}
			if err := json.Unmarshal([]byte(s.requests()[0]), &sent); err != nil {
				t.Fatal(err)
			}
			n := len(sent.Messages)
			call, result := sent.Messages[n-2], sent.Messages[n-1]
			var object map[string]any
			if err := json.Unmarshal([]byte(call.ToolCalls[0].Function.Arguments), &object); err != nil {
				t.Errorf("the call is sent with %q", call.ToolCalls[0].Function.Arguments)
			}
			if !strings.Contains(result.Content, "You wrote: "+wrote+"]") {
				t.Errorf("the result says %q", result.Content)
			}
		})
	}
}
