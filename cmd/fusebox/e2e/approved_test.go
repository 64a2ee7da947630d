package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writes is a call that writes a file of the workspace.
func writes(path, content string) asked {
	raw, err := json.Marshal(map[string]string{"path": path, "content": content})
	if err != nil {
		panic(err)
	}
	return asked{"write_file", string(raw)}
}

// edits lets somebody begin a chat in which writing files asks nobody, and waits until
// its first run rests. The files are there before.
func (h *instance) edits(t testing.TB, who api, files map[string]string, turns ...[]asked) (conversation, run string) {
	t.Helper()
	conversation = who.must("POST", "/api/v1/conversations", `{"approvalMode":"auto_edit"}`)["id"].(string)
	for name, content := range files {
		path := filepath.Join(h.data, "workspaces", conversation, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return conversation, h.says(t, who, conversation, turns...)
}

// says posts one more message that the model answers with these turns.
func (h *instance) says(t testing.TB, who api, conversation string, turns ...[]asked) (run string) {
	t.Helper()
	h.model.mu.Lock()
	text := t.Name() + strings.Repeat("!", len(h.model.scripts))
	h.model.mu.Unlock()
	h.model.plays(text, turns...)
	run = who.post(conversation, text)
	h.conversationOf[run] = conversation
	who.rests(run)
	return run
}

func evidenceOf(card map[string]any) map[string]any { return card["evidence"].(map[string]any) }

// TestApprovedIsWhatRuns: nothing that people did not see runs under an approval, in
// whatever way a file that the command uses is changed.
func TestApprovedIsWhatRuns(t *testing.T) {
	t.Parallel()
	h := startInstance(t)
	const good, evil = "echo good >> log\n", "echo evil >> log\n"

	t.Run("an earlier write of the same answer is shown", func(t *testing.T) {
		h := h.as(t)
		_, run := h.edits(t, h.ana, map[string]string{"run.sh": good}, []asked{writes("run.sh", evil), sh("sh run.sh")})
		card := h.card(t, run)
		before, _ := evidenceOf(card)["before"].([]any)
		if len(before) != 1 || before[0].(map[string]any)["asks"] != false || !strings.Contains(before[0].(map[string]any)["diff"].(string), "+echo evil") {
			t.Fatalf("shown: %v", evidenceOf(card))
		}
		page := h.rex.page(t, "/approvals/"+card["id"].(string))
		if !strings.Contains(page, "Runs before this") || !strings.Contains(page, "echo evil") {
			t.Error("the page shows nothing of it")
		}
		// Who has seen it, and approves, gets it.
		if status, _ := decides(h.rex, card, `{"decision":"approve"}`); status != http.StatusOK {
			t.Fatal(status)
		}
		if h.ana.rests(run)["status"] != "finished" || h.left(t, run, "log") != "evil\n" {
			t.Errorf("%v left %q", h.ana.rests(run)["status"], h.left(t, run, "log"))
		}
	})
	for name, tc := range map[string]struct {
		files   map[string]string
		calls   []asked
		message string
	}{
		"a command before it changes the file":       {map[string]string{"run.sh": good}, []asked{sh("cp evil run.sh"), sh("sh run.sh")}, "run.sh has changed"},
		"a command before it makes the file":         {nil, []asked{sh("cp evil run.sh"), sh("sh run.sh")}, "run.sh is new"},
		"the file is in a folder":                    {map[string]string{"a/run.sh": good}, []asked{sh("cp evil a/run.sh"), sh("cd a && ./run.sh")}, "a/run.sh has changed"},
		"the file is named in quotes":                {map[string]string{"run.sh": good}, []asked{sh("cp evil run.sh"), sh(`sh 'r'"un".sh`)}, "run.sh has changed"},
		"the file comes through a pipe":              {map[string]string{"run.sh": good}, []asked{sh("cp evil run.sh"), sh("cat run.sh | tail -n +1 > b && env sh < run.sh")}, "run.sh has changed"},
		"the file is known at run time only":         {map[string]string{"run.sh": good}, []asked{sh("cp evil run.sh"), sh(`for f in $(ls run.*); do sh "$f"; done`)}, "run.sh has changed"},
		"the file is what another one runs":          {map[string]string{"run.sh": ". ./lib.sh\n", "lib.sh": good}, []asked{sh("cp evil lib.sh"), sh("sh run.sh")}, "lib.sh has changed"},
		"the file decides what the program does":     {map[string]string{"Makefile": "all:\n\t" + good}, []asked{sh(`printf 'all:\n\techo evil >> log\n' > Makefile`), sh("make")}, "Makefile has changed"},
		"the file is one of those that a glob means": {map[string]string{"a.sh": good}, []asked{sh("cp evil a.sh"), sh("sh *.sh")}, "a.sh has changed"},
	} {
		t.Run(name, func(t *testing.T) {
			h := h.as(t)
			if tc.files == nil {
				tc.files = map[string]string{}
			}
			tc.files["evil"] = evil
			_, run := h.edits(t, h.ana, tc.files, tc.calls)
			cards := h.cards(run)
			if len(cards) != 2 {
				t.Fatalf("%d cards", len(cards))
			}
			for _, c := range cards {
				if status, answer := decides(h.rex, c, `{"decision":"approve"}`); status != http.StatusOK {
					t.Fatalf("%d %v", status, answer)
				}
			}
			h.ana.rests(run)
			if log := h.left(t, run, "log"); strings.Contains(log, "evil") {
				t.Errorf("what nobody saw has run: %q", log)
			}
			card := h.card(t, run)
			if card["generation"] != 2.0 || !strings.Contains(card["message"].(string), tc.message) {
				t.Errorf("asked again: %v %v", card["generation"], card["message"])
			}
			decides(h.rex, card, `{"decision":"abort"}`)
		})
	}
	t.Run("something else changes the file while the card waits", func(t *testing.T) {
		h := h.as(t)
		chat, run := h.edits(t, h.ana, map[string]string{"run.sh": good, "two.sh": good}, []asked{sh("sh run.sh")})
		edited := `{"decision":"edit","args":{"command":"sh two.sh"}}`
		if status, answer := decides(h.rex, h.card(t, run), edited); status != http.StatusOK {
			t.Fatalf("%d %v", status, answer)
		}
		card := h.card(t, run) // the editor's work is for somebody else to approve
		if err := os.WriteFile(filepath.Join(h.data, "workspaces", chat, "two.sh"), []byte(evil), 0o600); err != nil {
			t.Fatal(err)
		}
		decides(h.ria, card, `{"decision":"approve"}`)
		h.ana.rests(run)
		if again := h.card(t, run); h.left(t, run, "log") != "" || !strings.Contains(again["message"].(string), "two.sh has changed") {
			t.Errorf("%v left %q", again["message"], h.left(t, run, "log"))
		}
		decides(h.ria, h.card(t, run), `{"decision":"approve"}`)
		h.ana.rests(run)
		if log := h.left(t, run, "log"); log != "evil\n" {
			t.Errorf("what was seen in the end left %q", log)
		}
	})
	t.Run("what stays as it was runs", func(t *testing.T) {
		h := h.as(t)
		_, run := h.edits(t, h.ana, map[string]string{"run.sh": good}, []asked{sh("echo x > other"), sh("sh run.sh")})
		for _, c := range h.cards(run) {
			decides(h.rex, c, `{"decision":"approve"}`)
		}
		if h.ana.rests(run)["status"] != "finished" || h.left(t, run, "log") != "good\n" {
			t.Errorf("%v left %q", h.ana.rests(run)["status"], h.left(t, run, "log"))
		}
	})
}

// page is the text of a page.
func (a api) page(t testing.TB, path string) string {
	t.Helper()
	status, raw := a.call("GET", path, "")
	if status != http.StatusOK {
		t.Fatalf("%s: %d", path, status)
	}
	return string(raw)
}
