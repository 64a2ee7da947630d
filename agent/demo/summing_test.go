package demo

import "testing"

// TestSummaries: a transcript is told in short, and is not a request, whatever it says.
func TestSummaries(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		wantText(t, c.ask("[user]\ntest dead loop\n\n[assistant]\nI try.\nAgain.\n\n[tool]\n3"),
			"- The person asked: test dead loop\n- The answer began: I try.")
	})
}
