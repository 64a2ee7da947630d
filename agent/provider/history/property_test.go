package history

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/provider/history/historytest"
)

// eachHistory makes the same histories at every run.
func eachHistory(t *testing.T, stream uint64, check func(t *testing.T, r *rand.Rand)) {
	t.Helper()
	for n := range agenttest.Part(historytest.Histories) {
		check(t, rand.New(rand.NewPCG(historytest.Seed+stream, uint64(n))))
		if t.Failed() {
			t.Fatalf("history %d of seed %d", n, historytest.Seed+stream)
		}
	}
}

// TestRepairProperty: the repair of any history is one that every endpoint
// accepts, always the same, and final.
func TestRepairProperty(t *testing.T) {
	t.Parallel()
	eachHistory(t, 0, func(t *testing.T, r *rand.Rand) {
		in := historytest.Any(r)
		before := encoded(in)
		out, n := newRepairer().repair(in)
		after := encoded(out)
		if encoded(in) != before {
			t.Errorf("the input was changed: %s", before)
		}
		if err := sound(out); err != nil {
			t.Errorf("%v\nof  %s\nout %s", err, before, after)
		}
		if again, m := newRepairer().repair(in); encoded(again) != after || m != n {
			t.Errorf("another outcome the second time:\n%s\n%s", after, encoded(again))
		}
		if twice, m := newRepairer().repair(out); encoded(twice) != after || m != 0 {
			t.Errorf("%d repairs of what was repaired:\n%s\n%s", m, after, encoded(twice))
		}
		if (n == 0) != (after == before) {
			t.Errorf("%d repairs:\n%s\n%s", n, before, after)
		}
		if a, b := spokenWords(in), spokenWords(out); !slices.Equal(a, b) {
			t.Errorf("what was said changed: %q, %q", a, b)
		}
	})
}

// TestRepairLeavesValidHistoriesAlone: not a byte is changed of what is sound.
func TestRepairLeavesValidHistoriesAlone(t *testing.T) {
	t.Parallel()
	eachHistory(t, 1, func(t *testing.T, r *rand.Rand) {
		in := historytest.Valid(r)
		if err := sound(in); err != nil {
			t.Fatalf("the test's own history is unsound: %v", err)
		}
		if out, n := newRepairer().repair(in); n != 0 || encoded(out) != encoded(in) {
			t.Errorf("%d repairs of a valid history:\n%s\n%s", n, encoded(in), encoded(out))
		}
	})
}

// encoded shows every byte of a history. An empty one is the same as none.
func encoded(history []agent.Message) string {
	var b []byte
	for _, m := range history {
		for _, text := range []string{string(m.Role), m.Content, m.ToolCallID, m.Reasoning} {
			b = strconv.AppendQuote(b, text)
		}
		for _, c := range m.ToolCalls {
			for _, text := range []string{c.ID, c.Name, c.Arguments} {
				b = strconv.AppendQuote(append(b, ' '), text)
			}
		}
		b = append(b, '\n')
	}
	return string(b)
}

// spokenWords are the texts of people and models that have any: they are never lost.
func spokenWords(history []agent.Message) (list []string) {
	for _, m := range history {
		if m.Role == agent.FromUser || m.Role == agent.FromAssistant && strings.TrimSpace(m.Content) != "" {
			list = append(list, m.Content)
		}
	}
	return list
}

var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// sound is what the strictest endpoint asks of a history, as an ordered walk
// that shares no code with the repair.
func sound(history []agent.Message) error {
	asked := map[string]bool{} // every id so far
	open := map[string]bool{}  // those of the message before, without a result yet
	for i, m := range history {
		if m.Role == agent.FromTool {
			if !open[m.ToolCallID] {
				return fmt.Errorf("message %d answers %q, which does not wait for it", i, m.ToolCallID)
			}
			delete(open, m.ToolCallID)
			continue
		}
		if len(open) > 0 {
			return fmt.Errorf("message %d stands before the results of %v", i, open)
		}
		if m.Role == agent.FromAssistant && strings.TrimSpace(m.Content) == "" && len(m.ToolCalls) == 0 {
			return fmt.Errorf("message %d is an empty answer", i)
		}
		for _, c := range m.ToolCalls {
			if err := soundCall(c, asked); err != nil {
				return fmt.Errorf("message %d: %w", i, err)
			}
			asked[c.ID], open[c.ID] = true, true
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("the results of %v are missing at the end", open)
	}
	return nil
}

func soundCall(c agent.CallRequest, asked map[string]bool) error {
	var object map[string]json.RawMessage
	switch {
	case c.ID == "" || asked[c.ID]:
		return fmt.Errorf("the id %q is empty or taken", c.ID)
	case !toolName.MatchString(c.Name):
		return fmt.Errorf("the name %q", c.Name)
	case json.Unmarshal([]byte(c.Arguments), &object) != nil || object == nil:
		return fmt.Errorf("the arguments %q are no object", c.Arguments)
	}
	return nil
}
