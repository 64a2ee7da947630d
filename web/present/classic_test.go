package present

import (
	"testing"

	"fusebox/agent"
)

// TestClassicWithoutPieces: where the pieces were removed, the whole comes as one; where a
// second answer differs, the text goes on from there.
func TestClassicWithoutPieces(t *testing.T) {
	t.Parallel()
	whole := func(text string) agent.EventData {
		return agent.MessageEvent{Message: agent.Message{ID: "m", Role: agent.FromAssistant, Content: text}}
	}
	piece := func(text string) agent.EventData { return agent.TextDelta{ID: "m", Delta: text} }
	for name, tc := range map[string]struct {
		events []agent.EventData
		want   string
	}{
		"removed":              {[]agent.EventData{whole("All of it.")}, "All of it."},
		"streamed":             {[]agent.EventData{piece("All "), piece("of it."), whole("All of it.")}, "All of it."},
		"cut":                  {[]agent.EventData{piece("All "), piece("of "), whole("All of it.")}, "All of it."},
		"said otherwise":       {[]agent.EventData{piece("It is 12"), agent.MessageReset{ID: "m"}, piece("It was 13."), whole("It was 13.")}, "It is 12was 13."},
		"otherwise, Chinese":   {[]agent.EventData{piece("天气好"), agent.MessageReset{ID: "m"}, piece("天气很热"), whole("天气很热")}, "天气好很热"},
		"of a person":          {[]agent.EventData{agent.MessageEvent{Message: agent.Message{ID: "p", Role: agent.FromUser, Content: "Hi"}}}, ""},
		"shorter than the try": {[]agent.EventData{piece("All of it."), agent.MessageReset{ID: "m"}, piece("All"), whole("All")}, "All of it."},
	} {
		c, got := NewClassic(), ""
		for _, d := range tc.events {
			for _, e := range c.Apply([]agent.Event{{Data: d}}) {
				got += e.Data.(agent.TextDelta).Delta
			}
		}
		if got != tc.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
