package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestDialoguesByAPI: the demo model's tests that need something of their run get it by any
// door, and also later in a chat.
func TestDialoguesByAPI(t *testing.T) {
	t.Parallel()
	quick, typing := startProgram(t, t.TempDir(), atOnce).admin(), startProgram(t, t.TempDir()).admin()
	for words, sees := range map[string][]string{
		"test outputs":         {"emit_value", "goal"},
		"Test outputs.":        {"emit_value", "goal"},
		"测试产出":                 {"emit_value", "goal"},
		"test repeated answer": {"repeated_answer"},
		"test timeout":         {"timeout"},
		"测试超时":                 {"timeout"},
	} {
		t.Run(words, func(t *testing.T) {
			t.Parallel()
			p := quick
			if slices.Contains(sees, "timeout") { // which ends it while the model types
				p = typing
			}
			p.t = t
			conversation := p.must("POST", "/api/v1/conversations", `{}`)["id"].(string)
			for _, content := range []string{"hi", words} {
				body, err := json.Marshal(map[string]string{"content": content})
				must(t, err)
				p.rests(p.must("POST", "/api/v1/conversations/"+conversation+"/messages", string(body))["runId"].(string))
			}
			log, err := json.Marshal(p.events(conversation, 0))
			must(t, err)
			for _, want := range sees {
				if !strings.Contains(string(log), `"`+want+`"`) {
					t.Errorf("the log lacks %q: %s", want, log)
				}
			}
		})
	}
}
