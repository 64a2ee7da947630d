package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fusebox/agent/agenttest"
)

// askedBy lets the model make one call and returns its run, which waits with the server's card.
func (h *instance) askedBy(t *testing.T, tool string) (run string, card map[string]any) {
	t.Helper()
	run = h.asks(t, []asked{{"mad__" + tool, `{}`}})
	decides(h.rex, h.card(t, run), `{"decision":"approve"}`)
	if v := h.ana.rests(run); v["status"] != "paused" {
		t.Fatalf("%s: the run is %v: %q", tool, v["status"], h.results(run))
	}
	card = h.card(t, run)
	if card["kind"] != "question" || evidenceOf(card)["server"] != "mad" {
		t.Fatalf("%s: asked %v", tool, card)
	}
	return run, card
}

// TestServerAsksThePerson: what an MCP server asks during a call is a card for the owner of the
// chat; what they answer, or do not, is what the server hears, and the call was made once.
func TestServerAsksThePerson(t *testing.T) {
	t.Parallel()
	h := startWithSources(t)
	t.Run("answered in the form", func(t *testing.T) {
		h := h.as(t)
		run, card := h.askedBy(t, "ask")
		path := "/approvals/" + card["id"].(string)
		page := h.ana.page(t, path)
		for _, want := range []string{"The MCP server mad asks you", "enter no passwords", "For whom is it?", "Who &lt;b&gt;is&lt;/b&gt; it", `name="arg/name"`, ">Large<", `value="2"`} {
			if !strings.Contains(page, want) {
				t.Errorf("the card does not say %q", want)
			}
		}
		if status, _ := decides(h.rex, card, `{"decision":"answer","answer":"{\"name\":\"Rex\"}"}`); status != http.StatusForbidden {
			t.Errorf("a reviewer answers: %d", status)
		}
		for answer, wants := range map[string]string{`just text`: "JSON object", `{\"name\":\"Ana\",\"count\":10}`: "at most 9", `{}`: "name", `{\"name\":\"Ana\",\"more\":1}`: "more"} {
			if status, said := decides(h.ana, card, `{"decision":"answer","answer":"`+answer+`"}`); status != http.StatusUnprocessableEntity || !strings.Contains(fmt.Sprint(said), wants) {
				t.Errorf("%s is taken: %d %v", answer, status, said)
			}
		}
		fills := func(fields url.Values) string {
			fields.Set("decision", "answer")
			_, answer := h.ana.call("POST", path+"/decision?"+fields.Encode(), "")
			return string(answer)
		}
		if again := fills(url.Values{"arg/name": {"Ana"}, "arg/count": {"70"}}); !strings.Contains(again, "at most 9") || !strings.Contains(again, `value="Ana"`) {
			t.Error("a form that does not fit loses what was typed, or does not say why")
		}
		fills(url.Values{"arg/name": {"Ana"}, "arg/count": {"7"}, "arg/size": {`"l"`}, "arg/sure": {"true"}})
		if v := h.ana.rests(run); v["status"] != "finished" {
			t.Errorf("the run is %v", v["status"])
		}
		if got := h.results(run); len(got) != 1 || got[0] != `accept {"count":7,"name":"Ana","size":"l","sure":true}` || strings.Count(h.noted(t, "mad"), "asked") != 1 {
			t.Errorf("the server heard %q and was called as %q", got, h.noted(t, "mad"))
		}
	})
	for name, row := range map[string]struct{ decision, heard string }{
		"answered by a program": {`{"decision":"answer","answer":"{\"name\":\"Bo\"}"}`, `accept {"count":2,"name":"Bo"}`},
		"declined":              {`{"decision":"reject"}`, "decline null"},
	} {
		t.Run(name, func(t *testing.T) {
			h := h.as(t)
			run, card := h.askedBy(t, "ask")
			if status, said := decides(h.ana, card, row.decision); status != http.StatusOK {
				t.Fatalf("%d %v", status, said)
			}
			if v := h.ana.rests(run); v["status"] != "finished" || h.results(run)[0] != row.heard {
				t.Errorf("the run is %v, the server heard %q", v["status"], h.results(run))
			}
		})
	}
	t.Run("several choices", func(t *testing.T) {
		h := h.as(t)
		run, card := h.askedBy(t, "ask_many")
		path := "/approvals/" + card["id"].(string)
		page := h.ana.page(t, path)
		for _, want := range []string{`type="checkbox"`, ">Monday<", "&lt;b&gt;Thursday&lt;/b&gt;", "Choose 2 to 3.", "Choose at most 1.", "Choose any", `value="&#34;tue&#34;" checked`} {
			if !strings.Contains(page, want) {
				t.Errorf("the card does not say %q", want)
			}
		}
		fills := func(fields url.Values) string {
			fields.Set("decision", "answer")
			_, answer := h.ana.call("POST", path+"/decision?"+fields.Encode(), "")
			return string(answer)
		}
		for says, fields := range map[string]url.Values{
			"has 1 items; at least 2 are needed": {"arg/days": {"", `"wed"`}, "arg/tags": {"", `"red"`}},
			"has 4 items; at most 3 are allowed": {"arg/days": {"", `"mon"`, `"tue"`, `"wed"`, `"thu"`}, "arg/tags": {"", `"red"`}},
			"has 2 items; at most 1 are allowed": {"arg/days": {"", `"mon"`, `"wed"`}, "arg/tags": {"", `"red"`}, "arg/more": {"", `"x"`, `"y"`}},
			"is not one of the values":           {"arg/days": {"", `"mon"`, `"sun"`}, "arg/tags": {"", `"red"`}},
			"has 0 items; at least 2 are needed": {"arg/days": {""}, "arg/tags": {"", `"red"`}},
			"has the same item twice":            {"arg/days": {"", `"mon"`, `"mon"`}, "arg/tags": {"", `"red"`}},
		} {
			again := fills(fields)
			if !strings.Contains(again, says) || !strings.Contains(again, `value="&#34;red&#34;" checked`) {
				t.Errorf("%v is taken, or what was checked is lost: want %q", fields, says)
			}
		}
		fills(url.Values{"arg/days": {"", `"wed"`, `"mon"`}, "arg/tags": {"", `"green, or \"lime\""`, `"蓝"`}, "arg/more": {""}})
		if v := h.ana.rests(run); v["status"] != "finished" {
			t.Errorf("the run is %v", v["status"])
		}
		if got := h.results(run); len(got) != 1 || got[0] != `accept {"days":["wed","mon"],"tags":["green, or \"lime\"","蓝"]}` {
			t.Errorf("the server heard %q", got)
		}
	})
	t.Run("two questions at once", func(t *testing.T) {
		h := h.as(t)
		run, card := h.askedBy(t, "ask_twice")
		decides(h.ana, card, `{"decision":"answer","answer":"{\"name\":\"One\"}"}`)
		h.ana.rests(run)
		second := h.card(t, run)
		if second["message"] == card["message"] {
			t.Errorf("the same card again: %v", second)
		}
		decides(h.ana, second, `{"decision":"reject"}`)
		if v := h.ana.rests(run); v["status"] != "finished" || !strings.Contains(h.results(run)[0], `accept {"count":2,"name":"One"}`) || !strings.Contains(h.results(run)[0], "decline") {
			t.Errorf("the run is %v, the server heard %q", v["status"], h.results(run))
		}
	})
	t.Run("aborted while it waits", func(t *testing.T) {
		h := h.as(t)
		run, card := h.askedBy(t, "ask")
		h.ana.must("POST", "/api/v1/runs/"+run+"/abort", "")
		if v := h.ana.rests(run); v["status"] != "aborted" {
			t.Errorf("the run is %v", v["status"])
		}
		if status, _ := decides(h.ana, card, `{"decision":"answer","answer":"{\"name\":\"Late\"}"}`); status != http.StatusConflict {
			t.Errorf("an answer after the end: %d", status)
		}
	})
	t.Run("the call is cancelled while it waits", func(t *testing.T) {
		h := h.as(t)
		run, _ := h.askedBy(t, "ask")
		h.ana.must("POST", "/api/v1/runs/"+run+"/calls/call_0_0/cancel", "")
		agenttest.Eventually(t, "the run's end", func() bool { return h.ana.must("GET", "/api/v1/runs/"+run, "")["status"] == "finished" })
		if got := h.results(run); !strings.Contains(got[0], "A person cancelled this call") {
			t.Errorf("the model reads %q", got)
		}
	})
	t.Run("what cannot be asked", func(t *testing.T) {
		h := h.as(t)
		run := h.asks(t, []asked{{"mad__ask_too_much", `{}`}, {"mad__ask_url", `{}`}, {"mad__ask_impossible", `{}`}})
		for _, card := range h.cards(run) {
			decides(h.rex, card, `{"decision":"approve"}`)
		}
		h.ana.rests(run)
		got := strings.Join(h.results(run), "\n")
		if len(h.cards(run)) != 0 || !strings.Contains(got, "longer than 4096 bytes") || !strings.Contains(got, `not support "url" elicitation`) || !strings.Contains(got, "asks for more choices than it allows") {
			t.Errorf("the server heard %q", got)
		}
	})
	t.Run("the server dies while the card waits", func(t *testing.T) {
		h := h.as(t)
		run, _ := h.askedBy(t, "ask_and_die")
		if err := os.WriteFile(filepath.Join(h.data, "programs", "mad", "die"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		agenttest.Eventually(t, "the question what became of the call", func() bool {
			cards := h.cards(run)
			return len(cards) == 1 && cards[0]["kind"] == "outcome"
		})
		decides(h.rex, h.card(t, run), `{"decision":"reject"}`)
		if v := h.ana.rests(run); v["status"] != "finished" {
			t.Errorf("the run is %v", v["status"])
		}
	})
}

// TestServerQuestionOverARestart: the card is still there, the call is not: the answer reaches
// nobody, and a person is asked what became of the call. It is not made twice.
func TestServerQuestionOverARestart(t *testing.T) {
	t.Parallel()
	h := startWithSources(t)
	run, card := h.askedBy(t, "ask")
	h.restart(t)
	h.sourcesReady(t)
	if status, said := decides(h.ana, card, `{"decision":"answer","answer":"{\"name\":\"Ana\"}"}`); status != http.StatusOK {
		t.Fatalf("%d %v", status, said)
	}
	if v := h.ana.rests(run); v["status"] != "paused" || h.card(t, run)["kind"] != "outcome" || strings.Count(h.noted(t, "mad"), "asked") != 1 {
		t.Fatalf("the run is %v, noted %q", v["status"], h.noted(t, "mad"))
	}
	decides(h.rex, h.card(t, run), `{"decision":"reject"}`)
	if v := h.ana.rests(run); v["status"] != "finished" {
		t.Errorf("the run is %v", v["status"])
	}
	if events := fmt.Sprint(h.ana.events(h.conversationOf[run], 0)); !strings.Contains(events, "The answer did not reach mad") {
		t.Error("the log does not say what became of the answer")
	}
}

// TestServerQuestionRunsOut: a question that nobody answers in time is cancelled.
func TestServerQuestionRunsOut(t *testing.T) {
	t.Parallel()
	h := startWithSources(t, "FUSEBOX_APPROVAL_ON_TIMEOUT=reject")
	run, _ := h.askedBy(t, "ask")
	h.comesDue(true)
	agenttest.Eventually(t, "the run's end", func() bool { return h.ana.must("GET", "/api/v1/runs/"+run, "")["status"] == "finished" })
	if got := h.results(run); got[0] != "cancel null" {
		t.Errorf("the server heard %q", got)
	}
}
