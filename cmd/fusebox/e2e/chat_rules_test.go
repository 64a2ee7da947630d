package e2e

import (
	"strings"
	"testing"
)

// TestInstructionsAsFarAsAllowed: the model reads a chat's own instructions, until an admin
// switches those of chats off.
func TestInstructionsAsFarAsAllowed(t *testing.T) {
	t.Parallel()
	h := startInstance(t)
	chat, run := h.ana.ask("first")
	h.ana.rests(run)
	h.ana.must("PATCH", "/api/v1/conversations/"+chat, `{"system":"Always answer in rhyme."}`)
	for _, tc := range []struct {
		message, rules string
		reads          bool
	}{
		{"second", `{"instructions":true}`, true},
		{"third", `{"instructions":false}`, false},
		{"fourth", `{"instructions":true}`, true},
	} {
		h.admin().must("PUT", "/api/v1/chat-rules", tc.rules)
		h.ana.rests(h.ana.post(chat, tc.message))
		if got := strings.Contains(h.model.last(tc.message), "Always answer in rhyme."); got != tc.reads {
			t.Errorf("with %s the model reads the instructions: %v", tc.rules, got)
		}
	}
}
