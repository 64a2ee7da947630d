package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// safeKinds are tools of each kind that ask nobody: one shows a long page, one fails.
var safeKinds = map[string]struct{ page, fails asked }{
	"built-in":   {asked{"read_file", `{"path":"page.txt"}`}, asked{"calculator", `{"expression":"1/0"}`}},
	"MCP server": {asked{"mad__page", `{}`}, asked{"mad__fail", `{}`}},
	"command":    {asked{"ticket_page", `{}`}, asked{"ticket_fail", `{}`}},
	"OpenAPI":    {asked{"pages__page", `{}`}, asked{"pages__broken", `{}`}},
}

// TestBreakersHoldForEveryKind: calls of tools from outside are counted, paid for, and
// looked at afterwards like those of built-in ones.
func TestBreakersHoldForEveryKind(t *testing.T) {
	t.Parallel()
	h := startWithSources(t)
	repeated := map[string]string{} // the kinds, by run
	for name, k := range safeKinds {
		run, card := h.repeats(t, k.page)
		repeated[run] = name
		wantLoop(t, name, card, k.page, "generic_repeat", 8)
		_, card = h.repeats(t, k.fails)
		wantLoop(t, name, card, k.fails, "consecutive_errors", 3)
	}
	h.backtestFinds(t, slices.Sorted(maps.Keys(repeated)))
	h.budgetEnds(t)
}

// repeats lets the model make a call over and over; a card ends that.
func (h *instance) repeats(t *testing.T, call asked) (run string, card map[string]any) {
	t.Helper()
	run = h.says(t, h.ana, h.pageChat(t), slices.Repeat([][]asked{{call}}, 30)...)
	return run, h.card(t, run)
}

// pageChat begins a chat whose workspace has a long page.
func (h *instance) pageChat(t *testing.T) string {
	return h.chatOf(t, h.ana, map[string]string{"page.txt": strings.Repeat("The printer is on fire. ", 400)})
}

func wantLoop(t *testing.T, kind string, card map[string]any, call asked, detector string, count int) {
	t.Helper()
	evidence := evidenceOf(card)
	calls, _ := evidence["calls"].([]any)
	if card["kind"] != "loop" || evidence["detector"] != detector || evidence["count"] != float64(count) || len(calls) != count {
		t.Fatalf("%s: asked %v about %v × %v, with %d calls; want %s × %d", kind, card["kind"], evidence["detector"], evidence["count"], len(calls), detector, count)
	}
	if first := calls[0].(map[string]any); first["toolName"] != call.tool || first["tokens"] != float64(110) {
		t.Errorf("%s: the evidence begins with %v", kind, first)
	}
}

// backtestFinds wants runs found that would go on with a higher number, of those that stand.
func (h *instance) backtestFinds(t *testing.T, runs []string) {
	t.Helper()
	backtest := func(args ...string) (out, said string) {
		status, out, said := fusebox(t, h.data, "", append([]string{"guards", "backtest"}, args...)...)
		if status != exitOK {
			t.Fatalf("status %d: %s", status, said)
		}
		return out, said
	}
	if out, said := backtest(); out != "" || !strings.Contains(said, fmt.Sprintf("0 would newly trip, 0 would no longer trip, %d unchanged", 2*len(runs))) {
		t.Errorf("with the numbers of now: %s%s", out, said)
	}
	out, said := backtest("--set", "guard.critical=9")
	for _, run := range runs {
		if !strings.Contains(out, `{"change":"gone","runId":"`+run+`"`) {
			t.Errorf("%s is not among what a higher number changes: %s%s", run, out, said)
		}
	}
}

// budgetEnds wants a run with calls of every kind stopped by its budget, and continued when
// a person allows more.
func (h *instance) budgetEnds(t *testing.T) {
	t.Helper()
	h.root().must("POST", "/api/v1/budgets", `{"who":"run","window":"run","limitTokens":10000,"atLimit":"pause"}`)
	for name, k := range safeKinds {
		run := h.says(t, h.ana, h.pageChat(t), []asked{k.page}, []asked{k.page})
		card := h.card(t, run)
		if evidence := evidenceOf(card); card["kind"] != "budget" || evidence["usedTokens"] != float64(220) || len(h.results(run)) != 2 {
			t.Fatalf("%s: asked %v, %v behind %d calls", name, card["kind"], evidence, len(h.results(run)))
		}
		if status, answer := decides(h.root(), card, `{"decision":"resume","raiseTokensBy":5000}`); status != http.StatusOK {
			t.Fatalf("%s: %d %v", name, status, answer)
		}
		if v := h.ana.rests(run); v["status"] != "finished" {
			t.Errorf("%s: with more, the run is %v", name, v["status"])
		}
	}
}

// TestOneCallAtATime: calls of one answer wait for each other where their source has a limit.
func TestOneCallAtATime(t *testing.T) {
	t.Parallel()
	h := startWithSources(t)
	run := h.asks(t, []asked{{"ticket_turn", `{"of":1}`}, {"ticket_turn", `{"of":2}`}, {"ticket_turn", `{"of":3}`}})
	if noted := h.noted(t, "tickets"); noted != "begin end begin end begin end " {
		t.Errorf("the calls ran as %q", noted)
	}
	if log := fmt.Sprint(h.ana.events(h.conversationOf[run], 0)); !strings.Contains(log, "Waits for its turn: at most 1 of command:tickets at a time.") {
		t.Error("the log does not say what the calls waited for")
	}
}
