package agent_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"fusebox/agent"
	"fusebox/agent/provider"
)

// allFaults are the ways to fail. Those that are whole answers cannot happen in
// the middle of a stream; there they meet the try after one that broke off.
var allFaults = []fault{
	{name: "connection refused", refuses: true},
	{name: "reset", breaks: reset},
	{name: "EOF", breaks: func(*faultyModel, net.Conn) {}},
	{name: "stall", breaks: stall},
	{name: "error in the stream", breaks: func(m *faultyModel, c net.Conn) {
		if m.place == beforeFirstByte {
			m.write(c, streamHead)
		}
		m.write(c, `data: {"error":{"message":"overloaded `+faultKey+`","code":503}}`+"\n\n")
	}},
	{name: "408", answer: httpAnswer("408 Request Timeout", refusal)},
	{name: "409", answer: httpAnswer("409 Conflict", refusal)},
	{name: "425", answer: httpAnswer("425 Too Early", refusal)},
	{name: "429", answer: httpAnswer("429 Too Many Requests", refusal)},
	{name: "429 with Retry-After", answer: httpAnswer("429 Too Many Requests", refusal, "Retry-After: 7\r\n")},
	{name: "429 billing", answer: httpAnswer("429 Too Many Requests", `{"error":{"message":"pay for `+faultKey+`","code":"insufficient_quota"}}`), fatal: true},
	{name: "500", answer: httpAnswer("500 Internal Server Error", refusal)},
	{name: "502", answer: httpAnswer("502 Bad Gateway", "<html>"+faultKey+"</html>")},
	{name: "503", answer: httpAnswer("503 Service Unavailable", refusal)},
	{name: "504", answer: httpAnswer("504 Gateway Timeout", refusal)},
	{name: "529", answer: httpAnswer("529 Overloaded", refusal)},
	{name: "HTML with 200", answer: httpAnswer("200 OK", "<html><body>Sign in, "+faultKey+"</body></html>")},
	{name: "JSON error with 200", answer: httpAnswer("200 OK", refusal)},
	{name: "empty body", answer: httpAnswer("200 OK", "")},
	{name: "whole JSON", fine: true, answer: httpAnswer("200 OK", `{"choices":[{"message":{"content":"Let me look. ","tool_calls":[`+
		`{"id":"call_a","function":{"name":"look","arguments":"{\"x\":1}"}},{"id":"call_b","function":{"name":"end_look","arguments":"{}"}}]},`+
		`"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":10,"completion_tokens":5}}`)},
}

const refusal = `{"error":{"message":"not now, ` + faultKey + `","type":"server_error"}}`

// faultRetries is how often a call is tried again.
const faultRetries = 4

// TestFaultMatrix: every fault, at every place, that passes at once, after
// three times or never. The run ends as it should, each tool ran once, the text
// stands once, calls have their results, and no key is told anywhere.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	cells := 0
	for _, f := range allFaults {
		for p := range places {
			for recovery, n := range map[string]int{"at once": 1, "after three": 3, "never": math.MaxInt} {
				cells++
				t.Run(fmt.Sprintf("%s/%s/%s", f.name, places[p], recovery), func(t *testing.T) {
					t.Parallel()
					faultCell(t, f, place(p), n)
				})
			}
		}
	}
	t.Logf("%d cells", cells)
}

func faultCell(t *testing.T, f fault, p place, n int) {
	t.Helper()
	m := newFaultyModel(t, f, p, n)
	w, logs := faultWorld(t, m)
	run := w.post("Please look.")
	recovers := f.fine || !f.fatal && n < math.MaxInt
	want, reason := agent.StatusFinished, agent.StopGoal
	if !recovers {
		want, reason = agent.StatusFailed, agent.StopProviderError
	}
	if run.Status != want || run.StopReason != reason {
		t.Fatalf("run %s (%s), want %s\n%s", run.Status, run.StopReason, want, logs)
	}
	for _, tool := range []string{"look", "end_look"} {
		if ran := w.tools.executed(tool); ran > 1 || recovers && ran != 1 {
			t.Errorf("%s ran %d times", tool, ran)
		}
	}
	wantRetries(t, w, m, recovers)
	standsOnce(t, w, recovers)
	m.heal()
	if next := w.post("And now?"); next.Status != agent.StatusFinished || len(m.refused) > 0 {
		t.Errorf("the next message: run %s, refused %v", next.Status, m.refused)
	}
	keepsSecrets(t, w, logs)
}

// wantRetries: every fault but the last was a wait, and an endpoint that names
// one is waited for.
func wantRetries(t *testing.T, w *world, m *faultyModel, recovers bool) {
	t.Helper()
	want := min(m.faults, faultRetries)
	if m.fault.breaks == nil && m.place != beforeFirstByte && want < faultRetries {
		want++ // the stream that broke off before
	}
	if m.fault.fatal || m.fault.fine {
		want = 0
		if m.place != beforeFirstByte {
			want = 1
		}
	}
	waits := find[agent.RetryEvent](w.events())
	if len(waits) != want {
		t.Errorf("%d waits, want %d: %+v", len(waits), want, waits)
	}
	if m.fault.name == "429 with Retry-After" && recovers && waits[len(waits)-1].DelayMS < 7000 {
		t.Errorf("waited %d ms where the endpoint asked for 7 s", waits[len(waits)-1].DelayMS)
	}
}

// standsOnce: the text of the first answer stands once in the page and in the
// stored messages, whole where the run went well.
func standsOnce(t *testing.T, w *world, recovers bool) {
	t.Helper()
	var contents []string
	for _, m := range w.soundHistory() {
		if m.Role == agent.FromAssistant {
			contents = append(contents, m.Content)
		}
	}
	all := strings.Join(contents, "|")
	if strings.Count(all, "Let me ") > 1 || recovers && all != faultText+"|"+faultFinal {
		t.Errorf("the answers are %q", all)
	}
}

func keepsSecrets(t *testing.T, w *world, logs *safeBuffer) {
	t.Helper()
	var all strings.Builder
	for _, e := range w.events() {
		fmt.Fprintf(&all, "%+v\n", e.Data)
	}
	if strings.Contains(all.String(), faultKey) || strings.Contains(logs.String(), faultKey) {
		t.Error("the key is told")
	}
}

// safeBuffer is a log that goroutines write to.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// faultWorld is a world whose model is the faulty endpoint, over HTTP.
func faultWorld(t *testing.T, m *faultyModel) (*world, *safeBuffer) {
	t.Helper()
	logs := &safeBuffer{}
	log := slog.New(slog.NewTextHandler(logs, nil))
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close() // nobody listens there any more
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		if m.willRefuse() {
			addr = closed.Addr().String()
		}
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}
	p, err := provider.New(provider.Config{
		BaseURL: "http://" + m.ln.Addr().String() + "/v1", APIKey: faultKey, IdleTimeout: patience, Clock: m.clock, Logger: log,
		HTTPClient: &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}},
		Retry:      provider.RetryConfig{Max: faultRetries},
	})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.tools.specs = append(w.tools.specs, agent.ToolSpec{Name: "end_look", Effect: agent.EffectRead, Idempotent: true})
	w.runner.Loop.Provider, w.runner.Loop.Counter, w.runner.Loop.Log = p, p, log
	return w, logs
}
