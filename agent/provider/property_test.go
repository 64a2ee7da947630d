package provider

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
)

// FuzzStream: whatever bytes come, reading them ends, does not panic, gives no
// more than they hold, and does not depend on how they arrive.
func FuzzStream(f *testing.F) {
	for _, fix := range allFixtures() {
		if len(fix.body) < small {
			f.Add([]byte(fix.body))
		}
	}
	ask := fixture{tools: true}
	f.Fuzz(func(t *testing.T, body []byte) {
		got := ask.read(strings.NewReader(string(body)))
		if again := ask.read(iotest.OneByteReader(strings.NewReader(string(body)))); !cmp.Equal(got.deltas, again.deltas) || got.err != again.err {
			t.Errorf("byte by byte: %v, %s; else %v, %s", again.deltas, again.err, got.deltas, got.err)
		}
		checkBounds(t, len(body), got)
		if got.err == "" {
			checkPage(t, got)
		}
	})
}

// checkBounds: a byte becomes three where it is no UTF-8, and is shown twice
// where it turns out to have been a thought.
func checkBounds(t *testing.T, size int, got outcome) {
	t.Helper()
	shown := 0
	for _, d := range got.deltas {
		shown += len(d.Text)
	}
	if len(got.completion.Calls) > mostCalls || shown > 6*size+1024 || len(got.deltas) > size+1024 {
		t.Errorf("%d calls, %d bytes in %d deltas of %d bytes", len(got.completion.Calls), shown, len(got.deltas), size)
	}
}

func checkPage(t *testing.T, got outcome) {
	t.Helper()
	page := (&watcher{deltas: got.deltas}).assembled()
	if page.Content != got.completion.Content || page.Reasoning != got.completion.Reasoning {
		t.Errorf("the page shows %q after %q, the completion is %+v", page.Content, page.Reasoning, got.completion)
	}
	ids := map[string]bool{}
	for _, c := range got.completion.Calls {
		if c.ID == "" || ids[c.ID] || c.Name == "" {
			t.Errorf("calls %+v", got.completion.Calls)
		}
		ids[c.ID] = true
	}
}

// The seed and number of the histories; a failure tells both.
const (
	historySeed = 20261121
	histories   = 10_000
)

// rounds is how many of n histories are made: with -short a tenth.
func rounds(n uint64) uint64 {
	if testing.Short() {
		return n / 10
	}
	return n
}

// eachHistory makes the same histories at every run.
func eachHistory(t *testing.T, stream uint64, check func(t *testing.T, r *rand.Rand)) {
	t.Helper()
	for n := range rounds(histories) {
		check(t, rand.New(rand.NewPCG(historySeed+stream, n)))
		if t.Failed() {
			t.Fatalf("history %d of seed %d", n, historySeed+stream)
		}
	}
}

// TestRepairProperty: the repair of any history is one that every endpoint
// accepts, always the same, and final.
func TestRepairProperty(t *testing.T) {
	t.Parallel()
	eachHistory(t, 0, func(t *testing.T, r *rand.Rand) {
		in := anyHistory(r)
		before := encoded(in)
		out, n := repair(in)
		after := encoded(out)
		if encoded(in) != before {
			t.Errorf("the input was changed: %s", before)
		}
		if err := sound(out); err != nil {
			t.Errorf("%v\nof  %s\nout %s", err, before, after)
		}
		if again, m := repair(in); encoded(again) != after || m != n {
			t.Errorf("another outcome the second time:\n%s\n%s", after, encoded(again))
		}
		if twice, m := repair(out); encoded(twice) != after || m != 0 {
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
		in := validHistory(r)
		if err := sound(in); err != nil {
			t.Fatalf("the test's own history is unsound: %v", err)
		}
		if out, n := repair(in); n != 0 || encoded(out) != encoded(in) {
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
