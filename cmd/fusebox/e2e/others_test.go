package e2e

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"fusebox/agent/agenttest"
)

// TestWhatOthersGotWrong checks, through the real program, what approvals of other
// systems are known to get wrong. Each part is named after its failure.
func TestWhatOthersGotWrong(t *testing.T) {
	t.Parallel()
	h := startInstance(t)
	for _, tt := range []struct {
		name string
		run  func(*testing.T, *instance)
	}{
		{"a decision on a dead request answers OK", deadRequest},
		{"approved, but nothing runs, or asked again", approvedRuns},
		{"executed twice by a double click or two reviewers", doubleClick},
		{"denied, but executed by another path", denied},
		{"approved arguments are not the executed ones", executedArguments},
		{"rejecting one call cancels or runs others", rejectOne},
		{"results of ungated siblings lost", siblings},
		{"the model invents a result while a call is pending", pendingResult},
		{"the model tries the refused call again and again", refusedAgain},
		{"a session always that ignores arguments, or does not stick", sticks},
		{"the card says only Shell, or cuts off the part that matters", wholeCommand},
		{"a mail scanner clicks the link", scanner},
		{"the approver's name taken from a header", nameFromHeader},
		{"approvals of nested agents invisible", everyRunIsSeen},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.run(t, h.as(t)) })
	}
}

func deadRequest(t *testing.T, h *instance) {
	run := h.asks(t, []asked{sh("echo x >> out")})
	card := h.card(t, run)
	h.ana.must("POST", "/api/v1/runs/"+run+"/abort", "")
	h.ana.rests(run)
	status, answer := decides(h.rex, card, `{"decision":"approve"}`)
	if status != http.StatusConflict || !strings.Contains(fmt.Sprint(answer["detail"]), "continued without it") {
		t.Errorf("deciding on an aborted run: %d %v", status, answer)
	}
	if h.left(t, run, "out") != "" {
		t.Error("it was executed")
	}
}

func approvedRuns(t *testing.T, h *instance) {
	run := h.asks(t, []asked{sh("echo x >> out")})
	decides(h.rex, h.card(t, run), `{"decision":"approve"}`)
	if v := h.ana.rests(run); v["status"] != "finished" || len(h.cards(run)) != 0 {
		t.Errorf("the run is %v, %d cards wait", v["status"], len(h.cards(run)))
	}
	if got := h.left(t, run, "out"); got != "x\n" {
		t.Errorf("it left %q", got)
	}
}

func doubleClick(t *testing.T, h *instance) {
	run := h.asks(t, []asked{sh("echo x >> out")})
	card := h.card(t, run)
	statuses := make(chan int, 6)
	for i := range 6 {
		go func() {
			status, _ := []api{h.rex, h.ria}[i%2].call("POST", "/api/v1/approvals/"+card["id"].(string)+"/decision", naming(card, `{"decision":"approve"}`))
			statuses <- status
		}()
	}
	got := map[int]int{}
	for range 6 {
		got[<-statuses]++
	}
	h.ana.rests(run)
	if got[http.StatusOK] != 1 || got[http.StatusConflict] != 5 || h.left(t, run, "out") != "x\n" {
		t.Errorf("answers %v, it left %q", got, h.left(t, run, "out"))
	}
}

func denied(t *testing.T, h *instance) {
	call := sh("echo x >> out")
	run := h.asks(t, []asked{call}, []asked{call}, []asked{{"run_shell", ` { "command" : "echo x >> out" } `}})
	card := h.card(t, run)
	decides(h.rex, card, `{"decision":"reject","comment":"not on a Friday"}`)
	if v := h.ana.rests(run); v["status"] != "finished" {
		t.Fatalf("the run is %v", v)
	}
	for _, verb := range []string{"approve", "edit"} {
		if status, _ := decides(h.ria, card, `{"decision":"`+verb+`","args":{"command":"ls"}}`); status != http.StatusConflict {
			t.Errorf("%s after a rejection: %d", verb, status)
		}
	}
	for _, path := range []string{"/undo", "/again"} {
		if status, _ := h.rex.call("POST", "/api/v1/approvals/"+card["id"].(string)+path, "{}"); status < 400 {
			t.Errorf("%s after a rejection: %d", path, status)
		}
	}
	if h.left(t, run, "out") != "" {
		t.Error("it was executed all the same")
	}
}

func executedArguments(t *testing.T, h *instance) {
	run := h.asks(t, []asked{{"write_file", `{"path":"out","content":"the model's"}`}})
	card := h.card(t, run)
	if status, _ := decides(h.rex, map[string]any{"id": card["id"], "generation": card["generation"], "argsHash": "of something else"}, `{"decision":"approve"}`); status != http.StatusConflict {
		t.Errorf("an approval of other arguments: %d", status)
	}
	edit := `{"decision":"edit","args":{"path":"out","content":"the reviewer's"}}`
	if status, answer := decides(h.rex, card, edit); status != http.StatusOK {
		t.Fatalf("edit: %d %v", status, answer)
	}
	h.ana.rests(run)
	if got := h.left(t, run, "out"); got != "the reviewer's" {
		t.Errorf("it wrote %q", got)
	}
}

func rejectOne(t *testing.T, h *instance) {
	run := h.asks(t, []asked{sh("echo 1 >> out"), sh("echo 2 >> out"), sh("echo 3 >> out")})
	cards := h.cards(run)
	if len(cards) != 3 {
		t.Fatalf("%d cards wait, want 3", len(cards))
	}
	// Decided from the last to the first: it is not the position that counts.
	for i, verb := range map[int]string{2: "approve", 1: "reject", 0: "approve"} {
		decides(h.rex, cards[i], `{"decision":"`+verb+`"}`)
	}
	if v := h.ana.rests(run); v["status"] != "finished" || h.left(t, run, "out") != "1\n3\n" {
		t.Errorf("the run is %v and left %q", v["status"], h.left(t, run, "out"))
	}
	got := h.results(run)
	if len(got) != 3 || strings.Contains(got[0], "refused") || !strings.Contains(got[1], "refused") || strings.Contains(got[2], "refused") {
		t.Errorf("the model reads %q", got)
	}
}

func siblings(t *testing.T, h *instance) {
	run := h.asks(t, []asked{{"list_files", `{"path":"."}`}, sh("echo x >> out"), {"calculator", `{"expression":"6*7"}`}})
	events := h.ana.events(h.conversationOf[run], 0)
	if n := len(ofType(events, "tool-call-result")); n != 2 {
		t.Errorf("%d results of siblings came while the call waits, want 2", n)
	}
	decides(h.rex, h.card(t, run), `{"decision":"reject"}`)
	h.ana.rests(run)
	if got := h.results(run); len(got) != 3 || !strings.Contains(got[2], "42") {
		t.Errorf("the model reads %q", got)
	}
}

func pendingResult(t *testing.T, h *instance) {
	run := h.asks(t, []asked{sh("echo x >> out"), {"calculator", `{"expression":"6*7"}`}})
	if n := h.model.requests(t.Name()); n != 1 {
		t.Errorf("the model was called %d times while a call waits", n)
	}
	if got := h.results(run); len(got) != 0 {
		t.Errorf("the history has results while a call waits: %q", got)
	}
	decides(h.rex, h.card(t, run), `{"decision":"approve"}`)
	h.ana.rests(run)
	if n := h.model.requests(t.Name()); n != 2 {
		t.Errorf("the model was called %d times, want 2", n)
	}
}

func refusedAgain(t *testing.T, h *instance) {
	call := sh("echo x >> out")
	run := h.asks(t, []asked{call}, []asked{call}, []asked{call})
	decides(h.rex, h.card(t, run), `{"decision":"reject"}`)
	if v := h.ana.rests(run); v["status"] != "finished" {
		t.Fatalf("the run is %v: people are asked again", v["status"])
	}
	got := h.results(run)
	if len(got) != 3 || !strings.Contains(got[2], "already refused this call") {
		t.Errorf("the model reads %q", got)
	}
}

func sticks(t *testing.T, h *instance) {
	same, other := sh("echo same >> out"), sh("echo other >> out")
	run := h.asks(t, []asked{same}, []asked{same}, []asked{other})
	decides(h.rex, h.card(t, run), `{"decision":"approve","scope":"conversation"}`)
	h.ana.rests(run)
	if got := h.left(t, run, "out"); got != "same\nsame\n" {
		t.Errorf("it left %q", got)
	}
	card := h.card(t, run) // the other arguments ask
	if args := fmt.Sprint(card["args"]); !strings.Contains(args, "other") {
		t.Errorf("asked about %s", args)
	}
	decides(h.rex, card, `{"decision":"reject"}`)
	h.ana.rests(run)
	h.model.plays(t.Name()+" later", []asked{same})
	later := h.ana.post(h.conversationOf[run], t.Name()+" later")
	if v := h.ana.rests(later); v["status"] != "finished" {
		t.Errorf("in the next run it does not stick: %v", v["status"])
	}
}

func wholeCommand(t *testing.T, h *instance) {
	command := "echo " + strings.Repeat("harmless ", 600) + "&& echo the-part-that-matters >> out"
	run := h.asks(t, []asked{sh(command)})
	card := h.card(t, run)
	for _, path := range []string{"/approvals/" + card["id"].(string), "/api/v1/approvals/" + card["id"].(string)} {
		status, page := h.rex.call("GET", path, "")
		for _, part := range []string{"run_shell", "harmless harmless", "the-part-that-matters", h.conversationOf[run]} {
			if status != http.StatusOK || !strings.Contains(string(page), part) {
				t.Errorf("%s (%d) lacks %q", path, status, part)
			}
		}
	}
}

// scanner opens every link of the card's page, as a mail scanner does.
func scanner(t *testing.T, h *instance) {
	run := h.asks(t, []asked{sh("echo x >> out")})
	card := h.card(t, run)
	id := card["id"].(string)
	for _, path := range []string{
		"/approvals/" + id, "/approvals/" + id + "/decision", "/approvals/" + id + "/decision?decision=approve&generation=1", "/approvals/" + id + "/undo",
		"/approvals/" + id + "/again", "/approvals/" + id + "/revoke", "/approvals/bulk", "/api/v1/approvals/" + id + "/decision?decision=approve",
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodOptions} {
			h.rex.call(method, path, "")
		}
	}
	if again := h.card(t, run); again["generation"] != card["generation"] || h.left(t, run, "out") != "" {
		t.Errorf("after the scanner the card is %v", again)
	}
}

func nameFromHeader(t *testing.T, h *instance) {
	run := h.asks(t, []asked{sh("echo x >> out")})
	card := h.card(t, run)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+"/api/v1/approvals/"+card["id"].(string)+"/decision",
		strings.NewReader(naming(card, `{"decision":"approve","decidedBy":"boss@example.org"}`)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.rex.token)
	req.Header.Set("Content-Type", "application/json")
	for _, name := range []string{"X-Forwarded-User", "X-Remote-User", "Remote-User", "X-User", "From", "X-Forwarded-Email"} {
		req.Header.Set(name, "boss@example.org")
	}
	res, err := checked.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(res.Body)
	if err != nil || res.Body.Close() != nil {
		t.Fatal(err)
	}
	if res.StatusCode == http.StatusOK && strings.Contains(string(raw), "boss@example.org") {
		t.Errorf("decided by a name from the request: %s", raw)
	}
	if res.StatusCode != http.StatusOK { // a field that nobody knows is refused
		decides(h.rex, card, `{"decision":"approve"}`)
	}
	h.ana.rests(run)
	decided := ofType(h.ana.events(h.conversationOf[run], 0), "approval-decided")
	if len(decided) != 1 || decided[0]["decidedBy"] != "rex@example.org" {
		t.Errorf("decided: %v", decided)
	}
}

// everyRunIsSeen: whoever started a run, and however deep in a batch its call
// stands, its card is in every reviewer's inbox, and in its owner's.
func everyRunIsSeen(t *testing.T, h *instance) {
	run := h.asks(t, []asked{{"calculator", `{"expression":"1+1"}`}}, []asked{{"calculator", `{"expression":"1+2"}`}, sh("echo x >> out")})
	card := h.card(t, run)
	for name, who := range map[string]api{"the owner": h.ana, "one reviewer": h.rex, "another": h.ria, "an admin": h.admin()} {
		status, page := who.call("GET", "/approvals", "")
		if status != http.StatusOK || !strings.Contains(string(page), card["id"].(string)) {
			t.Errorf("the inbox of %s (%d) lacks the card", name, status)
		}
	}
}

// TestOthersLoseTheCard: a card is there after a reload, and after kill -9.
func TestOthersLoseTheCard(t *testing.T) {
	t.Parallel()
	h := startInstance(t)
	run := h.asks(t, []asked{sh("echo x >> out")})
	card := h.card(t, run)
	for range 2 {
		status, page := h.ana.call("GET", "/c/"+h.conversationOf[run], "")
		if status != http.StatusOK || !strings.Contains(string(page), "a-"+card["id"].(string)) {
			t.Fatalf("the chat (%d) lacks the card", status)
		}
		h.restart(t)
	}
	decides(h.rex, h.card(t, run), `{"decision":"approve"}`)
	if v := h.ana.rests(run); v["status"] != "finished" || h.left(t, run, "out") != "x\n" {
		t.Errorf("the run is %v and left %q", v["status"], h.left(t, run, "out"))
	}
}

// TestOthersExecuteTwice: a crash between the effect and its record is a question
// to a person; the effect is there once.
func TestOthersExecuteTwice(t *testing.T) {
	t.Parallel()
	h := startInstance(t)
	run := h.asks(t, []asked{sh("echo x >> out; sleep 1000")})
	decides(h.rex, h.card(t, run), `{"decision":"approve"}`)
	agenttest.Eventually(t, "the effect", func() bool { return h.left(t, run, "out") != "" })
	h.restart(t)
	if v := h.ana.rests(run); v["status"] != "paused" {
		t.Fatalf("the run is %v", v["status"])
	}
	card := h.card(t, run)
	if card["kind"] != "outcome" {
		t.Fatalf("asked %v", card)
	}
	decides(h.rex, card, `{"decision":"answer","answer":"It wrote x."}`)
	if v := h.ana.rests(run); v["status"] != "finished" || h.left(t, run, "out") != "x\n" {
		t.Errorf("the run is %v and left %q", v["status"], h.left(t, run, "out"))
	}
	if got := h.results(run); len(got) != 1 || got[0] != "It wrote x." {
		t.Errorf("the model reads %q", got)
	}
}

// TestOthersLetExpire: an expiry is announced, counts as nothing, and can be asked again.
func TestOthersLetExpire(t *testing.T) {
	t.Parallel()
	h := startInstance(t)
	run := h.asks(t, []asked{sh("echo x >> out")})
	card := h.card(t, run)
	h.comesDue(true)
	agenttest.Eventually(t, "the expiry", func() bool { return len(h.cards(run)) == 0 })
	decided := ofType(h.ana.events(h.conversationOf[run], 0), "approval-decided")
	if len(decided) != 1 || decided[0]["decision"] != "expired" || decided[0]["decidedBy"] != "system" {
		t.Errorf("told: %v", decided)
	}
	if v := h.ana.must("GET", "/api/v1/runs/"+run, ""); v["status"] != "paused" || h.left(t, run, "out") != "" {
		t.Errorf("the run is %v and left %q", v["status"], h.left(t, run, "out"))
	}
	if status, _ := decides(h.rex, card, `{"decision":"approve"}`); status != http.StatusConflict {
		t.Errorf("approving what has expired: %d", status)
	}
	h.ana.must("POST", "/api/v1/approvals/"+card["id"].(string)+"/again", "{}")
	if status, said := decides(h.rex, h.card(t, run), `{"decision":"approve"}`); status != http.StatusOK {
		t.Errorf("approving what is asked again: %d %v", status, said)
	}
	if v := h.ana.rests(run); v["status"] != "finished" || h.left(t, run, "out") != "x\n" {
		t.Errorf("the run is %v and left %q", v["status"], h.left(t, run, "out"))
	}
}
