package answer

import (
	"testing"

	"fusebox/agent"
)

// TestIDsOfCallsThatAreSummarised: no call gets the id of an earlier one of its
// run that the history does not show any more.
func TestIDsOfCallsThatAreSummarised(t *testing.T) {
	t.Parallel()
	req := agent.Request{CallIDs: []string{"call_0", "call_1", "x"}}
	a := NewAccumulator(NewOutput(func(agent.Delta) error { return nil }), req, nil)
	for given, want := range map[string]string{"x": "call_2", "call_1": "call_2", "": "call_2", "y": "y"} {
		if got := a.unique(given); got != want {
			t.Errorf("%q became %q, want %q", given, got, want)
		}
	}
}
