package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fusebox/agent/agenttest"
)

// TestRunAgainIsWhatWasShown: a command that a crash has cut off is run once more as the
// card about it has shown its files, which says what has changed since it was allowed.
func TestRunAgainIsWhatWasShown(t *testing.T) {
	t.Parallel()
	h := startInstance(t)
	const good, evil = "echo good >> log\nwhile test -e wait; do sleep 0.05; done\n", "echo evil >> log\n"
	chat, run := h.edits(t, h.ana, map[string]string{"run.sh": good, "wait": ""}, []asked{sh("sh run.sh")})
	file := func(name string) string { return filepath.Join(h.data, "workspaces", chat, name) }
	decides(h.rex, h.card(t, run), `{"decision":"approve"}`)
	agenttest.Eventually(t, "the effect", func() bool { return h.left(t, run, "log") != "" })
	h.kill()
	must(t, os.WriteFile(file("run.sh"), []byte("# another one\n"+good), 0o600))
	must(t, os.Remove(file("wait")))
	h.program = startProgram(t, h.data, h.env...)
	h.as(t)
	h.ana.rests(run)
	card := h.card(t, run)
	changed, _ := evidenceOf(card)["changed"].([]any)
	if card["kind"] != "outcome" || len(changed) != 1 || changed[0].(map[string]any)["path"] != "run.sh" {
		t.Fatalf("asked about %v with %v", card["kind"], evidenceOf(card))
	}
	if page := h.rex.page(t, "/approvals/"+card["id"].(string)); !strings.Contains(page, "Changed since") || !strings.Contains(page, "run.sh") {
		t.Error("the page does not say what has changed")
	}
	must(t, os.WriteFile(file("run.sh"), []byte(evil), 0o600))
	if status, answer := decides(h.rex, card, `{"decision":"approve"}`); status != http.StatusOK {
		t.Fatalf("%d %v", status, answer)
	}
	h.ana.rests(run)
	again := h.card(t, run)
	if h.left(t, run, "log") != "good\n" || again["kind"] != "tool" || !strings.Contains(again["message"].(string), "run.sh has changed since this call was approved") {
		t.Fatalf("asked %v %v, it left %q", again["kind"], again["message"], h.left(t, run, "log"))
	}
	must(t, os.WriteFile(file("run.sh"), []byte(good), 0o600))
	decides(h.rex, again, `{"decision":"approve"}`)
	h.ana.rests(run)
	decides(h.rex, h.card(t, run), `{"decision":"approve"}`)
	if status := h.ana.rests(run)["status"]; status != "finished" || h.left(t, run, "log") != "good\ngood\n" {
		t.Errorf("what was shown is %v and left %q", status, h.left(t, run, "log"))
	}
}

// TestRestOfTheRunIsWhatWasShown: an approval for the rest of the run lets all commands
// pass that say what they do, and those that a file decides as long as it is as it was
// shown.
func TestRestOfTheRunIsWhatWasShown(t *testing.T) {
	t.Parallel()
	h := startInstance(t)
	const good, evil = "echo good >> log\n", "echo evil >> log\n"
	_, run := h.edits(t, h.ana, map[string]string{"run.sh": good, "other.sh": evil},
		[]asked{sh("sh run.sh")}, []asked{sh("echo other >> log"), sh("sh run.sh")}, []asked{sh("sh other.sh")}, []asked{writes("run.sh", evil), sh("sh run.sh")})
	for _, step := range []struct{ card, decision, log string }{
		{"sh run.sh", `{"decision":"approve","scope":"run"}`, ""},
		{"sh other.sh", `{"decision":"reject"}`, "good\nother\ngood\n"}, // nobody has seen this file
		{"sh run.sh", `{"decision":"reject"}`, "good\nother\ngood\n"},   // nor what is in this one now
	} {
		card := h.card(t, run)
		if evidenceOf(card)["command"] != step.card || h.left(t, run, "log") != step.log {
			t.Fatalf("asked about %v after %q", evidenceOf(card)["command"], h.left(t, run, "log"))
		}
		decides(h.rex, card, step.decision)
		h.ana.rests(run)
	}
	if log := h.left(t, run, "log"); log != "good\nother\ngood\n" {
		t.Errorf("it left %q", log)
	}
}
