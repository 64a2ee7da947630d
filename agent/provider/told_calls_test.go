package provider

import (
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/provider/streamtest"
)

// TestTextAboutCallsIsNotHeldBack: what tells of calls, or is data, comes as it is written, and a
// call behind it is made.
func TestTextAboutCallsIsNotHeldBack(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(" and so it goes on", 20)
	for _, begins := range []string{
		"Kimi begins with <|tool_calls_section_begin|> and then", "gpt-oss uses <|channel|> and <|message|>, then", "Mistral writes [TOOL_CALLS] before its calls",
		"[TOOL_CALLS] is what Mistral writes", "<tool_call> opens a call", "- <|start|>: it begins", "<tool_call> 是工具调用的格式",
		`{"type": "point", "x": "`, `[{"name": "Rome", "of": "`,
	} {
		t.Run(begins, func(t *testing.T) {
			t.Parallel()
			text := begins + long + ".\n"
			var events []string
			for _, r := range text + "<tool_call>get_time</tool_call>" {
				events = append(events, streamtest.Text(string(r)))
			}
			var shown, most int
			f := fixture{streamtest.Fixture{Tools: true}}
			p, _ := newProvider(t, serve(t, raw(streamtest.Answered(events...))).URL)
			got, err := p.Complete(t.Context(), f.request(), func(d agent.Delta) error {
				if d.Kind == agent.DeltaText {
					shown, most = shown+len(d.Text), max(most, len(d.Text))
				}
				return nil
			})
			if err != nil || shown != len(text) || most > len(text)/4 {
				t.Errorf("%v; %d bytes of %d are shown, at most %d at once", err, shown, len(text), most)
			}
			if len(got.Calls) != 1 || got.Calls[0].Name != "get_time" {
				t.Errorf("the call behind it: %v, %q", got.Calls, got.Mistake)
			}
		})
	}
}
