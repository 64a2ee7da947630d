package provider

import (
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent/provider/streamtest"
)

// FuzzStream: whatever bytes come, reading them ends, does not panic, gives no
// more than they hold, and does not depend on how they arrive.
func FuzzStream(f *testing.F) {
	for _, fix := range allFixtures() {
		if len(fix.Body) < small {
			f.Add([]byte(fix.Body))
		}
	}
	ask := fixture{streamtest.Fixture{Tools: true}}
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
