package e2e

import (
	"bytes"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"fusebox/agent/agenttest"
)

// TestDeletedTextIsGone: a chat that was deleted is in no file of the data folder: not in
// free pages of the database, not in its write-ahead log, not among the tools' files.
func TestDeletedTextIsGone(t *testing.T) {
	t.Parallel()
	const secret = "xylophonequagga"
	model, url := startModel(t)
	model.plays("write "+secret, []asked{sh("echo out-" + secret + " | tee note-" + secret + ".txt")})
	data := t.TempDir()
	p := startProgram(t, data, "OPENAI_BASE_URL="+url, "FUSEBOX_PROVIDER_RAW_LOG=true")
	a := p.admin()
	conversation := a.must(http.MethodPost, "/api/v1/conversations", `{"title":"About `+secret+`"}`)["id"].(string)
	run := a.post(conversation, "write "+secret)
	a.rests(run)
	a.decide(run, `{"decision":"approve"}`)
	if got := a.rests(run); got["status"] != "finished" {
		t.Fatalf("run is %v", got)
	}
	if len(filesWith(t, data, secret)) == 0 {
		t.Fatal("the text is nowhere even before the chat is deleted: this test proves nothing")
	}
	if status, body := a.call(http.MethodDelete, "/api/v1/conversations/"+conversation, ""); status != http.StatusNoContent {
		t.Fatalf("deleting: %d %s", status, body)
	}
	var left []string
	agenttest.Eventually(t, "files without the deleted text", func() bool {
		left = filesWith(t, data, secret)
		return len(left) == 0
	})
}

// filesWith are the files of a folder with a text in their name or content.
func filesWith(t *testing.T, dir, text string) (found []string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // what was removed meanwhile has no text
		}
		content, err := os.ReadFile(path)
		if err == nil && bytes.Contains(slices.Concat([]byte(d.Name()), content), []byte(text)) {
			found = append(found, path)
		}
		return nil
	}))
	return found
}
