package e2e

import (
	"net/http"
	"strings"
	"testing"
)

const (
	goodTest = "echo good\n"
	evilTest = "id\n"
)

// rules are the standing rules in force.
func (h *instance) rules(t testing.TB) []map[string]any {
	t.Helper()
	var found []map[string]any
	for _, item := range h.rex.must("GET", "/api/v1/policy/rules?state=in_force", "")["items"].([]any) {
		found = append(found, item.(map[string]any))
	}
	return found
}

// TestAlwaysIsForOnePerson: a standing rule lets the calls of the person pass whose
// call it was made for, as long as the files that decide what they do are the same.
func TestAlwaysIsForOnePerson(t *testing.T) {
	t.Parallel()
	h := startInstance(t)
	admin := h.admin()
	command := sh("sh test.sh")
	files := map[string]string{"test.sh": goodTest}
	waits := func(who api, run string) bool { return who.must("GET", "/api/v1/runs/"+run, "")["status"] == "paused" }

	chat, run := h.edits(t, h.ana, files, []asked{command})
	card := h.card(t, run)
	if card["pattern"] != nil || evidenceOf(card)["filesDecide"] != true {
		t.Errorf("the card proposes %v, %v", card["pattern"], evidenceOf(card)["filesDecide"])
	}
	if page := h.rex.page(t, "/approvals/"+card["id"].(string)); !strings.Contains(page, "always, for ana@example.org") || !strings.Contains(page, "always, for everybody") ||
		!strings.Contains(page, "decided by files of the workspace") || !strings.Contains(page, "test.sh") {
		t.Error("the page does not say whom a rule is for, and what it depends on")
	}
	if status, _ := decides(h.rex, card, `{"decision":"approve","scope":"once","for":"everybody"}`); status != http.StatusUnprocessableEntity {
		t.Errorf("everybody, but once: %d", status)
	}
	if status, answer := decides(h.rex, card, `{"decision":"approve","scope":"always"}`); status != http.StatusOK {
		t.Fatalf("%d %v", status, answer)
	}
	h.ana.rests(run)
	if rules := h.rules(t); len(rules) != 1 || rules[0]["who"] != "ana@example.org" || rules[0]["filesDecide"] != true {
		t.Fatalf("rules: %v", rules)
	}
	if _, raw := admin.call("GET", "/api/v1/audit?limit=20", ""); !strings.Contains(string(raw), `\"for\":\"ana@example.org\"`) {
		t.Errorf("the audit log does not say whom the rule is for: %s", raw)
	}

	if run := h.says(t, h.ana, chat, []asked{command}); waits(h.ana, run) {
		t.Error("it does not hold for whom it was made")
	}
	if _, run := h.edits(t, h.ana, files, []asked{command}); waits(h.ana, run) {
		t.Error("it does not hold in another chat with the same files")
	}
	_, run = h.edits(t, h.ria, files, []asked{command})
	if !waits(h.ria, run) {
		t.Error("it holds for somebody else")
	}

	// Ana's model changes what the command means, which asks nobody.
	run = h.says(t, h.ana, chat, []asked{writes("test.sh", evilTest)}, []asked{command})
	card = h.card(t, run)
	changed, _ := evidenceOf(card)["changed"].([]any)
	if len(changed) != 1 || changed[0].(map[string]any)["path"] != "test.sh" {
		t.Errorf("changed: %v", evidenceOf(card))
	}
	if page := h.rex.page(t, "/approvals/"+card["id"].(string)); !strings.Contains(page, "Changed since rex@example.org allowed this") {
		t.Error("the page does not say what has changed")
	}
	// In one answer: the write runs first, and the command asks then.
	if status, _ := decides(h.rex, card, `{"decision":"abort"}`); status != http.StatusOK {
		t.Fatal(status)
	}
	h.ana.rests(run)
	_, run = h.edits(t, h.ana, files, []asked{writes("test.sh", evilTest), command})
	if !waits(h.ana, run) {
		t.Error("what the same answer has written runs")
	}

	// For everybody, by explicit choice, until an admin narrows it.
	card = h.card(t, h.says(t, h.ria, h.chatOf(t, h.ria, files), []asked{command}))
	if status, answer := decides(h.rex, card, `{"decision":"approve","scope":"always","for":"everybody"}`); status != http.StatusOK {
		t.Fatalf("%d %v", status, answer)
	}
	h.ria.rests(card["runId"].(string))
	var id string
	for _, r := range h.rules(t) {
		if r["who"] == nil {
			id = r["id"].(string)
		}
	}
	if _, run := h.edits(t, admin, files, []asked{command}); waits(admin, run) {
		t.Error("it does not hold for everybody")
	}
	if page := admin.page(t, "/admin/tools"); !strings.Contains(page, "For everybody.") || !strings.Contains(page, "/admin/tools/rules/"+id+"/narrow") {
		t.Error("the page does not mark the rule as everybody's")
	}
	if status, raw := admin.call("POST", "/admin/tools/rules/"+id+"/narrow", ""); status >= 400 {
		t.Fatalf("narrow: %d %s", status, raw)
	}
	if _, run := h.edits(t, admin, files, []asked{command}); !waits(admin, run) {
		t.Error("it holds for everybody still")
	}
}

// chatOf begins a chat with files, in which writing asks nobody.
func (h *instance) chatOf(t testing.TB, who api, files map[string]string) string {
	t.Helper()
	chat, _ := h.edits(t, who, files)
	return chat
}
