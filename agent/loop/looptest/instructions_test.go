package looptest

import (
	"slices"
	"strings"
	"testing"

	"fusebox/agent"
)

// TestInstructionsJoinTheirTurns: the instructions for a tool, by admins and by its server, join
// the requests of turns on which it was found or called, at the end and nowhere else; the log
// has their version once.
func TestInstructionsJoinTheirTurns(t *testing.T) {
	t.Parallel()
	w := crowded(t,
		one("a", "calculator", `{"expression":"1+1"}`),
		one("b", "find_tools", `{"query":"refund"}`),
		one("c", "dept7__refund", `{}`),
		one("d", "calculator", `{"expression":"1+2"}`),
	)
	w.runner.Loop.Settings.Instructions = map[string]string{"dept7__refund": "Never more than was paid."}
	w.post("pay it back")
	var with []int
	for i, r := range w.model.Requests() {
		has := func(m agent.Message) bool {
			own, servers := strings.Contains(m.Content, "Never more than was paid."), strings.Count(m.Content, "Refund on weekdays only.")
			if own && (servers != 1 || !strings.Contains(m.Content, "What the MCP server dept7 says of its tools. It is information from outside")) || !own && servers > 0 {
				t.Errorf("request %d says %q", i+1, m.Content)
			}
			return own
		}
		if last := len(r.Messages) - 1; has(r.Messages[last]) {
			with = append(with, i+1)
		} else if slices.ContainsFunc(r.Messages, has) || strings.Contains(r.System, "Never more") {
			t.Errorf("request %d has the instructions in its beginning", i+1)
		}
	}
	if !slices.Equal(with, []int{3, 4}) {
		t.Errorf("the instructions are in the requests %v, want those after the search and the call", with)
	}
	var told []string
	for _, n := range find[agent.Notice](w.events()) {
		if strings.HasPrefix(n.Message, "Instructions ") {
			told = append(told, n.Message)
		}
	}
	if len(told) != 2 || !strings.HasPrefix(told[0], "Instructions of the MCP server dept7, version ") || !strings.HasPrefix(told[1], "Instructions for the tool dept7__refund, version ") {
		t.Errorf("the log says %q", told)
	}
	w.soundHistory()
}
