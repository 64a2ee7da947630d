package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoFileIsAnOption: no tool and no upload makes a file or a folder whose name a command
// would take for an option, at any place of its path; what is there already can be written.
func TestNoFileIsAnOption(t *testing.T) {
	t.Parallel()
	h := startInstance(t)
	write := func(name string) asked { return asked{"write_file", fmt.Sprintf(`{"path":%q,"content":"new"}`, name)} }
	for call, refused := range map[asked]bool{
		write("-rf"): true, write("--checkpoint=1"): true, write("./-n"): true, write("a/-b"): true, write("-a/b"): true, write("a/-b/c.txt"): true,
		write("a/../-x"): true, write(`a\-b`): true, write("-"): true,
		write("-old"): false, write("a-b/c-d.txt"): false, write("x.-y"): false, write("a/b.-"): false,
		{"edit_file", `{"path":"-old","old":"old","new":"new"}`}: false,
	} {
		chat := h.ana.must("POST", "/api/v1/conversations", `{"approvalMode":"auto_edit"}`)["id"].(string)
		workspace := filepath.Join(h.data, "workspaces", chat)
		must(t, os.Mkdir(workspace, 0o700))
		must(t, os.WriteFile(filepath.Join(workspace, "-old"), []byte("old"), 0o600))
		h.model.plays(call.args, []asked{call})
		run := h.ana.post(chat, call.args)
		h.ana.rests(run)
		h.conversationOf[run] = chat
		got := strings.Join(h.results(run), "\n")
		if refused != strings.Contains(got, `may not begin with "-"`) || refused != strings.Contains(got, "use another name") || refused == (strings.Contains(got, "Wrote") || strings.Contains(got, "Edited")) {
			t.Errorf("%s: %s", call.args, got)
		}
		must(t, filepath.WalkDir(workspace, func(path string, _ os.DirEntry, err error) error {
			if name := filepath.Base(path); strings.HasPrefix(name, "-") && name != "-old" {
				t.Errorf("%s was made", path)
			}
			return err
		}))
	}
	chat := h.ana.must("POST", "/api/v1/conversations", `{}`)["id"].(string)
	for name, want := range map[string]string{"-rf": "_rf", "--help": "_-help", "dir/-n.txt": "_n.txt", "x/ -m.txt": "_m.txt", "-": "_", "a-b": "a-b"} {
		status, said := h.ana.sendsFile("/api/v1/conversations/"+chat+"/files", name, "x")
		if status != http.StatusCreated || !strings.Contains(said, fmt.Sprintf(`"path":%q`, want)) {
			t.Errorf("%s: %d %s", name, status, said)
		}
	}
}
