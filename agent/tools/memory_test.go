package tools

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"fusebox/agent"
)

// remembered is the memory of one person.
type remembered struct{ found, others []agent.Fact }

func (m remembered) Remember(_ context.Context, userID, _, text string) (bool, error) {
	if userID != "ana" {
		return false, agent.Errorf(agent.Forbidden, "The memory is off.")
	}
	return text != "known", nil
}

func (m remembered) Recall(context.Context, string, string) ([]agent.Fact, []agent.Fact, error) {
	return m.found, m.others, nil
}

// TestMemoryTools: what is stored is the fact of the person whose run it is; what comes back
// is bounded, with the matches first.
func TestMemoryTools(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		user, text, says string
		kind             agent.ErrorType
	}{
		{"ana", "likes tea", "remembered", ""},
		{"ana", "known", "known already", ""},
		{"eve", "likes tea", "The memory is off.", agent.ErrPermission},
	} {
		in := agent.ToolInput{UserID: tc.user, Args: []byte(fmt.Sprintf(`{"text":%q}`, tc.text))}
		if res := (remember{remembered{}}).Run(t.Context(), in); res.ErrorType != tc.kind || !strings.Contains(res.Content, tc.says) {
			t.Errorf("%s, %s: %+v", tc.user, tc.text, res)
		}
	}
	m := remembered{found: []agent.Fact{{Text: "match"}}}
	for i := range 30 {
		m.others = append(m.others, agent.Fact{Text: fmt.Sprintf("other %d", i)})
	}
	res := recall{m}.Run(t.Context(), agent.ToolInput{UserID: "ana", Args: []byte(`{"query":"x"}`)})
	if !strings.Contains(res.Content, `"matches":[{"text":"match"`) || !strings.Contains(res.Content, "other 8") || strings.Contains(res.Content, "other 9") || !strings.Contains(res.Content, `"more":21`) {
		t.Errorf("recalled %s", res.Content)
	}
	m.others = []agent.Fact{{Text: strings.Repeat("长", 1000)}, {Text: strings.Repeat("短", 1000)}, {Text: strings.Repeat("大", 1000)}}
	if res := (recall{m}).Run(t.Context(), agent.ToolInput{UserID: "ana", Args: []byte(`{"query":"x"}`)}); len(res.Content) > 10<<10 || !strings.Contains(res.Content, `"more":1`) {
		t.Errorf("%d bytes recalled", len(res.Content))
	}
}
