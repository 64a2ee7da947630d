package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestErrorsAreSaidOnce: what a model's server answers to a request stands once in the
// error, once in the end of the run, once on the page, and once in a line of the log.
func TestErrorsAreSaidOnce(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":{"message":"the request\nhas no rhyme"}}`)
	}))
	t.Cleanup(srv.Close)
	p := startProgram(t, t.TempDir(), append(withAdmin(), "OPENAI_BASE_URL="+srv.URL+"/v1", "FUSEBOX_MODEL=m")...)
	a := p.admin()
	conversation, run := a.ask("hi")
	if got := a.rests(run); got["status"] != "failed" {
		t.Fatalf("run is %v", got)
	}
	events := a.events(conversation, 0)
	const sentence = "The model server rejected the request (400): the request has no rhyme."
	flat := func(text any) string { return strings.Join(strings.Fields(fmt.Sprint(text)), " ") }
	if got := flat(ofType(events, "error")[0]["message"]); got != sentence {
		t.Errorf("the error says %q", got)
	}
	want := sentence + " No tools ran. Nothing is lost: retry, or send a message."
	if got := ofType(events, "finish")[0]["message"]; got != want {
		t.Errorf("the end says %q, want %q", got, want)
	}
	status, page := a.call(http.MethodGet, "/c/"+conversation, "")
	if n := strings.Count(string(page), "no rhyme"); status != http.StatusOK || n != 1 {
		t.Errorf("%d, the page says it %d times", status, n)
	}
	for line := range strings.Lines(p.log.String()) {
		if strings.Count(line, "no rhyme") > 1 || strings.Count(line, "rejected the request") > 1 {
			t.Errorf("logged twice: %s", line)
		}
	}
}
