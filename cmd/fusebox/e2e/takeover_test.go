package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"fusebox/agent/agenttest"
)

// answerOf is the last message of a run's conversation.
func (h *instance) answerOf(run string) string {
	list := h.ana.must("GET", "/api/v1/conversations/"+h.conversationOf[run]+"/messages", "")["items"].([]any)
	return list[len(list)-1].(map[string]any)["content"].(string)
}

// ended checks that a run ended with a person's answer.
func (h *instance) endedWith(t *testing.T, run, answer string) {
	t.Helper()
	if r := h.ana.rests(run); r["status"] != "finished" || r["stopReason"] != "goal" {
		t.Errorf("it is %v by %v", r["status"], r["stopReason"])
	}
	if got := h.answerOf(run); got != answer {
		t.Errorf("the answer is %q", got)
	}
}

// TestTakeOver ends runs with a person's text: from the card of a call, from a run that
// waits, and from one that works, whose call is ended.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	h := startInstance(t)
	t.Run("a card", func(t *testing.T) {
		h := h.as(t)
		run := h.asks(t, []asked{sh("echo no > effects")})
		if status, v := decides(h.rex, h.card(t, run), `{"decision":"takeover","answer":"I did it myself."}`); status != http.StatusOK {
			t.Fatal(v)
		}
		h.endedWith(t, run, "I did it myself.")
		if got := h.left(t, run, "effects"); got != "" {
			t.Errorf("the call ran: %q", got)
		}
	})
	t.Run("a paused run", func(t *testing.T) {
		h := h.as(t)
		run := h.asks(t, []asked{sh("echo no > effects")})
		path := "/api/v1/runs/" + run + "/takeover"
		if status, raw := h.rex.call("POST", path, `{"answer":"x"}`); status != http.StatusForbidden {
			t.Errorf("a reviewer: %d %s", status, raw)
		}
		if status, raw := h.ana.call("POST", path, `{"answer":" "}`); status != http.StatusUnprocessableEntity || !strings.Contains(string(raw), `"field":"answer"`) {
			t.Errorf("no text: %d %s", status, raw)
		}
		h.ana.must("POST", path, `{"answer":"Never mind."}`)
		h.endedWith(t, run, "Never mind.")
		if len(h.cards(run)) > 0 {
			t.Error("its card still waits")
		}
		if status, raw := h.ana.call("POST", path, `{"answer":"Again."}`); status != http.StatusConflict {
			t.Errorf("after the end: %d %s", status, raw)
		}
	})
	t.Run("a running call", func(t *testing.T) {
		h := h.as(t)
		h.model.plays(t.Name(), []asked{sh("sleep 1000; echo no > effects")})
		conversation, run := h.ana.ask(t.Name())
		h.conversationOf[run] = conversation
		h.ana.rests(run)
		if status, v := decides(h.rex, h.card(t, run), `{"decision":"approve"}`); status != http.StatusOK {
			t.Fatal(v)
		}
		agenttest.Eventually(t, "the call runs", func() bool {
			for _, e := range ofType(h.ana.events(conversation, 0), "tool-call-state") {
				if e["state"] == "executing" {
					return true
				}
			}
			return false
		})
		h.ana.must("POST", "/api/v1/runs/"+run+"/takeover", `{"answer":"Enough."}`)
		h.endedWith(t, run, "Enough.")
	})
}

// TestHandOver: the agent asks its owner, and them alone, to take over. They answer in its
// place, or say how to go on.
func TestHandOver(t *testing.T) {
	t.Parallel()
	h := startInstance(t)
	wish := []asked{{"hand_over", `{"reason":"I have no key to the archive.","confidence":0.3}`}}
	t.Run("take over", func(t *testing.T) {
		h := h.as(t)
		run := h.asks(t, wish)
		card := h.card(t, run)
		evidence := card["evidence"].(map[string]any)
		if card["kind"] != "question" || evidence["handOver"] != true || evidence["confidence"] != 0.3 || evidence["question"] != "I have no key to the archive." {
			t.Fatalf("%v", card)
		}
		if status, v := decides(h.rex, card, `{"decision":"takeover","answer":"x"}`); status != http.StatusForbidden {
			t.Errorf("a reviewer: %d %v", status, v)
		}
		if status, v := decides(h.ana, card, `{"decision":"takeover","answer":"Here is what the archive says."}`); status != http.StatusOK {
			t.Fatal(v)
		}
		h.endedWith(t, run, "Here is what the archive says.")
	})
	for name, row := range map[string]struct{ decision, reads string }{
		"guide":  {`{"decision":"answer","answer":"The key is under the mat."}`, "The key is under the mat."},
		"refuse": {`{"decision":"reject"}`, "The person does not take over. Go on yourself"},
	} {
		t.Run(name, func(t *testing.T) {
			h := h.as(t)
			run := h.asks(t, wish)
			if status, v := decides(h.ana, h.card(t, run), row.decision); status != http.StatusOK {
				t.Fatal(v)
			}
			h.endedWith(t, run, "done")
			if got := h.results(run); len(got) != 1 || !strings.Contains(got[0], row.reads) {
				t.Errorf("the model reads %q", got)
			}
		})
	}
}

// TestMinConfidence asks a person about an answer of which the agent is less sure than an
// admin wants, and about no other.
func TestMinConfidence(t *testing.T) {
	t.Parallel()
	h := startInstance(t, "FUSEBOX_GUARD_MIN_CONFIDENCE=70")
	ends := func(confidence string) []asked {
		return []asked{{"terminate", fmt.Sprintf(`{"status":"success","message":"It is 42."%s}`, confidence)}}
	}
	for name, confidence := range map[string]string{"sure": `,"confidence":0.7`, "silent": ""} {
		t.Run(name, func(t *testing.T) {
			h := h.as(t)
			run := h.asks(t, ends(confidence))
			if got := h.answerOf(run); got != "It is 42." || len(h.cards(run)) > 0 {
				t.Errorf("the answer is %q, with %d cards", got, len(h.cards(run)))
			}
		})
	}
	for name, row := range map[string]struct{ decision, answer string }{
		"accept":    {`{"decision":"approve"}`, "It is 42."},
		"correct":   {`{"decision":"edit","args":{"status":"success","message":"It is 43."}}`, "It is 43."},
		"refuse":    {`{"decision":"reject","comment":"Look again."}`, "done"},
		"take over": {`{"decision":"takeover","answer":"It is 44."}`, "It is 44."},
	} {
		t.Run(name, func(t *testing.T) {
			h := h.as(t)
			run := h.asks(t, ends(`,"confidence":0.4`))
			card := h.card(t, run)
			if card["kind"] != "tool" || !strings.Contains(card["message"].(string), "40% sure") {
				t.Fatalf("%v", card)
			}
			if status, v := decides(h.rex, card, row.decision); status != http.StatusOK {
				t.Fatal(v)
			}
			h.ana.rests(run)
			if got := h.answerOf(run); got != row.answer {
				t.Errorf("the answer is %q", got)
			}
		})
	}
	h.as(t)
	h.admin().must("PUT", "/api/v1/guards/numbers/guard.min_confidence", `{"value":"30"}`)
	run := h.asks(t, ends(`,"confidence":0.4`))
	if len(h.cards(run)) > 0 {
		t.Error("an admin's lower threshold is not used")
	}
}
