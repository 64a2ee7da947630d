package demo

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBreakEveryCutsStreamsWithCalls: in the middle of the last call, with
// neither finish reason nor end. Other answers are not counted.
func TestBreakEveryCutsStreamsWithCalls(t *testing.T) {
	t.Parallel()
	for _, f := range append(Families(), "") {
		model := strings.TrimSuffix(Model+":"+string(f), ":")
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			w := newRawClient(t, Options{BreakEvery: 2})
			for i, broken := range []bool{false, true, false, true} {
				w.stream(model, "hello")
				w.whole(ask(model, "test chain 2", false))
				status, raw, err := w.post(ask(model, "test chain 2", true))
				if status != http.StatusOK || errors.Is(err, io.ErrUnexpectedEOF) != broken {
					t.Fatalf("answer %d: status %d, %v, want broken %v: %s", i, status, err, broken, raw)
				}
				e := parse(t, raw)
				if e.done == broken || (e.habits().Finish == "") != broken {
					t.Errorf("answer %d: done %v, finish reason %q, want broken %v", i, e.done, e.habits().Finish, broken)
				}
				want := []string{`calculator{"expression":"2+1"}`, `calculator{"expression":"2+2"}`}
				if broken {
					want[1] = `calculator{"expressi`
				}
				if diff := cmp.Diff(want, e.spoken().Calls); diff != "" {
					t.Errorf("answer %d (-want +got):\n%s", i, diff)
				}
			}
		})
	}
}
