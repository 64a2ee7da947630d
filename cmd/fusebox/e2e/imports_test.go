package e2e

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fusebox/agent/agenttest"
)

// archiveOf is a zip of files, by pairs of names and contents.
func archiveOf(t *testing.T, files ...string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		entry, err := w.Create(files[i])
		must(t, err)
		_, err = io.WriteString(entry, files[i+1])
		must(t, err)
	}
	must(t, w.Close())
	return out.String()
}

type importRow struct {
	ID, State                                        string
	Total, Done, Added, Unchanged, Replaced, LeftOut int
}

func (a api) imports(name, content string) importRow {
	a.t.Helper()
	status, raw := a.sendsFile("/api/v1/imports", name, content)
	var in importRow
	if err := json.Unmarshal([]byte(raw), &in); err != nil || status != http.StatusAccepted {
		a.t.Fatalf("%s: %d %s", name, status, raw)
	}
	return in
}

func (a api) importOf(id string) (in importRow) {
	a.t.Helper()
	status, raw := a.call(http.MethodGet, "/api/v1/imports/"+id, "")
	if err := json.Unmarshal(raw, &in); err != nil || status != http.StatusOK {
		a.t.Fatalf("%d %s", status, raw)
	}
	return in
}

// TestImportSurvivesKills: an import that is killed again and again while it is unpacked is gone on with
// by the next process; every file becomes one document, and is counted once.
func TestImportSurvivesKills(t *testing.T) {
	t.Parallel()
	const files = 180
	h := startInstance(t)
	var all []string
	for i := range files {
		all = append(all, fmt.Sprintf("notes/%d.md", i), fmt.Sprintf("# Note %d\n\nPump %d stands in hall %d.\n", i, i, i%3))
	}
	id := h.ana.imports("notes.zip", archiveOf(t, all...)).ID
	for kills := 1; kills <= 3; kills++ {
		agenttest.Eventually(t, "some files", func() bool { return h.ana.importOf(id).Done >= kills*files/5 })
		h.restart(t)
	}
	agenttest.Eventually(t, "the import", func() bool { return h.ana.importOf(id).State == "done" })
	if in := h.ana.importOf(id); in.Added != files || in.Done != files || in.Unchanged+in.LeftOut+in.Replaced != 0 {
		t.Errorf("%+v", in)
	}
	if n := len(h.ana.documents()); n != files {
		t.Errorf("%d documents", n)
	}
	agenttest.Eventually(t, "no file but those of documents", func() bool {
		return len(filesWith(t, filepath.Join(h.data, "documents"), "")) == files
	})
}

// TestImportedNotes: a vault that the command line hands over is read as people see it: found by
// aliases and by the words of links.
func TestImportedNotes(t *testing.T) {
	t.Parallel()
	data, vault := t.TempDir(), filepath.Join(t.TempDir(), "garden")
	p := startProgram(t, data)
	a := p.admin()
	must(t, os.MkdirAll(filepath.Join(vault, ".obsidian"), 0o700))
	must(t, os.WriteFile(filepath.Join(vault, ".obsidian", "app.json"), []byte("{}"), 0o600))
	must(t, os.WriteFile(filepath.Join(vault, "beans.md"), []byte("---\naliases: [legumes]\ntags: [garden]\n---\nSow beside [[plans/peas 2026#May|the early peas]], see ![[bed.png|300]] and `[[code]]`.\n"), 0o600))
	must(t, os.Symlink("/etc/passwd", filepath.Join(vault, "passwd.md")))
	if said := administer(t, data, "import", vault, "--user", adminEmail); !strings.Contains(said, "garden has arrived") {
		t.Fatal(said)
	}
	agenttest.Eventually(t, "the document", func() bool { return a.countDocuments("ready") == 1 })
	_, raw := a.call(http.MethodGet, "/api/v1/documents/"+a.documents()[0].ID+"/text", "")
	if want := "Sow beside the early peas, see bed.png and `[[code]]`."; !strings.Contains(string(raw), want) {
		t.Errorf("read as %s", raw)
	}
	for _, question := range []string{"legumes", "early peas"} {
		if _, raw := a.call(http.MethodGet, "/api/v1/search?in=documents&q="+strings.ReplaceAll(question, " ", "+"), ""); !strings.Contains(string(raw), "beans.md") {
			t.Errorf("%s finds %s", question, raw)
		}
	}
	if status, _, said := fusebox(t, data, "", "import", vault); status != exitUsage || !strings.Contains(said, "--user") {
		t.Errorf("without an account: %d %s", status, said)
	}
}
