package answer

import (
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/provider/history"
)

// TestIDsOfCallsThatAreSummarised: no call gets the id of an earlier one of its
// run that the history does not show any more, and none an endless one.
func TestIDsOfCallsThatAreSummarised(t *testing.T) {
	t.Parallel()
	req := agent.Request{CallIDs: []string{"call_0", "call_1", "x"}}
	past := history.New()
	past.Repair(req)
	a := NewAccumulator(past, NewOutput(func(agent.Delta) error { return nil }), nil)
	long := strings.Repeat("y", maxCallID)
	for given, want := range map[string]string{"x": "call_2", "call_1": "call_2", "": "call_2", "y": "y", long: long, long + "y": "call_2"} {
		if got := a.unique(given); got != want {
			t.Errorf("%q became %q, want %q", given, got, want)
		}
	}
}
