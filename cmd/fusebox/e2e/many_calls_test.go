package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// chatIn makes a conversation in an approval mode in which the model makes these calls.
func (h *instance) chatIn(t testing.TB, who api, mode string, turns ...[]asked) (run string) {
	t.Helper()
	conversation := who.must("POST", "/api/v1/conversations", fmt.Sprintf(`{"approvalMode":%q}`, mode))["id"].(string)
	return h.says(t, who, conversation, turns...)
}

// TestCallsOfOneAnswer: equal calls are made once and asked about once, each counts for the
// breakers, a read waits for the write before it, and a decision for the run lets go on
// what already waits.
func TestCallsOfOneAnswer(t *testing.T) {
	t.Parallel()
	h := startInstance(t)
	nine := slices.Repeat([]asked{sh("echo hi >> log.txt")}, 9)
	write := func(name string) asked {
		return asked{"write_file", fmt.Sprintf(`{"path":%[1]q,"content":"this is %[1]s"}`, name)}
	}
	t.Run("nine equal ones, and one card", func(t *testing.T) {
		h := h.as(t)
		run := h.chatIn(t, h.ana, "default", nine)
		card := h.card(t, run)
		if card["kind"] != "tool" {
			t.Errorf("the card is of kind %v", card["kind"])
		}
		if status, said := decides(h.rex, card, `{"decision":"approve"}`); status != http.StatusOK {
			t.Fatalf("%d %v", status, said)
		}
		if v := h.ana.rests(run); v["status"] != "finished" {
			t.Errorf("the run is %v", v["status"])
		}
		if log := h.left(t, run, "log.txt"); log != "hi\n" {
			t.Errorf("the command left %q", log)
		}
		if got := h.results(run); len(got) != 9 || !strings.Contains(got[1], "Made once") || !strings.Contains(got[8], "already in this answer") {
			t.Errorf("the model reads %q", got)
		}
	})
	t.Run("ninety without a person", func(t *testing.T) {
		h := h.as(t)
		run := h.chatIn(t, h.root(), "yolo", nine, nine, nine, nine, nine, nine, nine, nine, nine, nine)
		if card := h.card(t, run); card["kind"] != "loop" {
			t.Errorf("the card is of kind %v", card["kind"])
		}
		if n := strings.Count(h.left(t, run, "log.txt"), "hi"); n > 8 {
			t.Errorf("%d ran before anybody was asked", n)
		}
	})
	t.Run("allowed for the run", func(t *testing.T) {
		h := h.as(t)
		run := h.chatIn(t, h.ana, "default", []asked{write("a.txt"), write("b.txt"), write("c.txt")})
		cards := h.cards(run)
		if len(cards) != 3 {
			t.Fatalf("%d cards wait", len(cards))
		}
		if status, said := decides(h.rex, cards[0], `{"decision":"approve","scope":"run"}`); status != http.StatusOK {
			t.Fatalf("%d %v", status, said)
		}
		if v := h.ana.rests(run); v["status"] != "finished" || len(h.cards(run)) != 0 {
			t.Errorf("the run is %v, %d cards wait", v["status"], len(h.cards(run)))
		}
		for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
			if got := h.left(t, run, name); got != "this is "+name {
				t.Errorf("%s has %q", name, got)
			}
		}
	})
	t.Run("a read behind a write", func(t *testing.T) {
		h := h.as(t)
		run := h.chatIn(t, h.ana, "auto_edit", []asked{write("b.txt"), {"read_file", `{"path":"b.txt"}`}})
		if got := h.results(run); len(got) != 2 || !strings.Contains(got[1], "this is b.txt") {
			t.Errorf("the model reads %q", got)
		}
	})
}
