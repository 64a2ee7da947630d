package demo

import (
	"fmt"
	"strings"
	"testing"
)

// TestSteps: in a step of a workflow an agent speaks the language of the message, and delivers
// what is asked for by the round and the version.
func TestSteps(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		agent, task, owed, inputs string
		want                      string
	}{
		{"writer", "Write it.", "", `"message":"Green tea"`, "“Green tea” has been used for long"},
		{"writer", "Write it.", "", `"message":"写一段","topic":"绿茶"`, "“绿茶”由来已久"},
		{"coder", "Do it.", "", `"message":"Mend it","previous":{"answer":"x"}`, "Second version. For “Mend it”"},
		{"reviewer", "Review it.", "accepted (boolean), remarks (string)", `"message":"Mend it","code":{"answer":"First."}`, `{"name":"accepted","value":false} {"name":"remarks","value":"Say what it rests on."}`},
		{"reviewer", "Review it.", "accepted (boolean), remarks (string)", `"message":"Mend it","code":{"answer":"Second version. Done."}`, `{"name":"accepted","value":true} {"name":"remarks","value":""}`},
		{"analyst", "Talk.", "done (boolean)", `"message":"Tea","round":1`, `{"name":"done","value":false}`},
		{"analyst", "Talk.", "done (boolean)", `"message":"Tea","round":2`, `{"name":"done","value":true}`},
		{"writer", "Lead.", "", `"message":"Tea","team":[{"agent":"researcher","for":"Looks up."}]`, `{"agent":"researcher","inputs":{"message":"Tea"},"task":"Looks up."}`},
	} {
		c := newClient(t, false)
		c.tools, c.agents = append([]string{delegateTool, emitTool}, allTools...), allAgents
		c.system = fmt.Sprintf("You are the agent %s, working for another agent.", test.agent)
		if test.owed != "" {
			c.system += "\n\nDeliver these outputs with emit_value before you end: " + test.owed + "."
		}
		s := c.ask(test.task + "\n\nInputs:\n```json\n{" + test.inputs + "}\n```")
		var calls []string
		for _, call := range s.Calls {
			calls = append(calls, call.Function.Arguments)
		}
		if got := s.Content + strings.Join(calls, " "); !strings.HasPrefix(got, test.want) {
			t.Errorf("%s with %s says %q, want %q", test.agent, test.inputs, got, test.want)
		}
	}
}
