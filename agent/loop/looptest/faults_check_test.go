package looptest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fusebox/agent"
)

// ends holds how a run ended, and that its end is told once.
func (w *faultWorld) ends(run *agent.Run, want faultOutcome) {
	w.t.Helper()
	if run.Status != want.status || run.StopReason != want.reason {
		w.t.Errorf("the run is %s (%s), want %s (%s)", run.Status, run.StopReason, want.status, want.reason)
	}
	finishes, failures := find[agent.Finish](w.events()), find[agent.ErrorEvent](w.events())
	if len(finishes) != 1 || finishes[0].Status != want.status {
		w.t.Errorf("the run's end is told as %+v", finishes)
	}
	if want.status == agent.StatusFinished {
		if len(failures) > 0 {
			w.t.Errorf("a finished run tells of %+v", failures)
		}
		return
	}
	if len(failures) != 1 || failures[0].ErrorType != "provider_error" || failures[0].Retryable == w.cell.fatal {
		w.t.Errorf("the failure is told as %+v", failures)
	}
}

// triesAgain holds the number of tries, and that each wait is told.
func (w *faultWorld) triesAgain(want faultOutcome) {
	w.t.Helper()
	var told []string
	for _, r := range find[agent.RetryEvent](w.events()) {
		told = append(told, retryText(r))
	}
	if !slices.Equal(told, want.retries) {
		w.t.Errorf("retries\n  %s\nwant\n  %s", strings.Join(told, "\n  "), strings.Join(want.retries, "\n  "))
	}
	w.server.mu.Lock()
	defer w.server.mu.Unlock()
	if w.server.tries != want.tries {
		w.t.Errorf("the endpoint was asked %d times, want %d", w.server.tries, want.tries)
	}
	if logged := strings.Count(w.log.String(), "trying again"); logged != len(want.retries) {
		w.t.Errorf("the log tells of %d retries, want %d", logged, len(want.retries))
	}
}

// ranOnce holds that no fault makes a tool run again, or without its call.
func (w *faultWorld) ranOnce(want faultOutcome) {
	w.t.Helper()
	for _, tool := range []string{"look", "count"} {
		if n := w.tools.executed(tool); n != want.ran {
			w.t.Errorf("%s ran %d times, want %d", tool, n, want.ran)
		}
	}
	calls, results := 0, 0
	for _, m := range w.soundHistory() {
		calls += len(m.ToolCalls)
		if m.Role == agent.FromTool {
			results++
		}
	}
	if calls != 2*want.ran || results != calls {
		w.t.Errorf("%d calls and %d results are stored, want %d", calls, results, 2*want.ran)
	}
}

// keepsTexts holds all that the model has said, each text once.
func (w *faultWorld) keepsTexts(want []string) {
	w.t.Helper()
	var got []string
	for _, m := range w.soundHistory() {
		if m.Role == agent.FromAssistant {
			got = append(got, m.Content)
		}
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("the model's texts are %q, want %q", got, want)
	}
}

// foldsToMessages reads the log as a page does: deltas add, a reset voids, and
// what is in the end is what the messages say.
func (w *faultWorld) foldsToMessages() {
	w.t.Helper()
	text := map[string]string{}
	var calls []string
	for _, e := range w.events() {
		switch d := e.Data.(type) {
		case agent.TextDelta:
			text[d.ID] += d.Delta
		case agent.ToolCallStart:
			calls = append(calls, d.ToolCallID)
		case agent.MessageReset:
			delete(text, d.ID)
			calls = nil
		case agent.MessageEvent:
			if d.Message.Role != agent.FromAssistant {
				continue
			}
			if text[d.Message.ID] != d.Message.Content {
				w.t.Errorf("the page shows %q, the message says %q", text[d.Message.ID], d.Message.Content)
			}
			if ids := callIDs(d.Message); !slices.Equal(calls, ids) {
				w.t.Errorf("the page shows the calls %q, the message has %q", calls, ids)
			}
			delete(text, d.Message.ID)
			calls = nil
		}
	}
	if len(text) > 0 || len(calls) > 0 {
		w.t.Errorf("%q and the calls %q stand on the page without a message", text, calls)
	}
}

func callIDs(m agent.Message) []string {
	var ids []string
	for _, c := range m.ToolCalls {
		ids = append(ids, c.ID)
	}
	return ids
}

// goesOn holds that the conversation takes the next message once the endpoint
// is healthy, with a history that the server has found sound and that forgets nothing.
func (w *faultWorld) goesOn(want faultOutcome) {
	w.t.Helper()
	w.server.heal()
	run := w.post(secondPost)
	if run.Status != agent.StatusFinished || run.StopReason != agent.StopGoal {
		w.t.Errorf("the next run is %s (%s)", run.Status, run.StopReason)
	}
	w.keepsTexts(append(slices.Clone(want.texts), textLast))
	w.foldsToMessages()
	w.server.mu.Lock()
	defer w.server.mu.Unlock()
	if n := w.server.last.results(); n != 2*want.ran {
		w.t.Errorf("the next request holds %d results, want %d", n, 2*want.ran)
	}
	if w.tools.executed("look") != want.ran || w.tools.executed("count") != want.ran {
		w.t.Error("the next run ran the tools of the first")
	}
}

// keepsTheKey looks for the key wherever something of the endpoint's words goes.
func (w *faultWorld) keepsTheKey() {
	w.t.Helper()
	events, err := json.Marshal(w.events())
	w.must(err)
	messages, err := json.Marshal(w.soundHistory())
	w.must(err)
	files, err := filepath.Glob(w.path + "*")
	w.must(err)
	searched := map[string]string{"events": string(events), "messages": string(messages), "log": w.log.String()}
	for _, f := range files {
		data, err := os.ReadFile(f)
		w.must(err)
		searched[filepath.Base(f)] = string(data)
	}
	for where, text := range searched {
		if strings.Contains(text, faultKey) || strings.Contains(text, strings.TrimPrefix(faultKey, "sk-")) {
			w.t.Errorf("the key stands in the %s", where)
		}
	}
	w.server.mu.Lock()
	defer w.server.mu.Unlock()
	if w.server.echoed > 0 && !strings.Contains(w.log.String(), "[key]") {
		w.t.Error("the endpoint has repeated the key, and the log shows no trace of it")
	}
}
