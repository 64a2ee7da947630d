package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent/tools"
)

// TestInstructionsOfAFolder: files that are named for a tool are read, others left alone,
// and what is too long or leads elsewhere is an error that names the file.
func TestInstructionsOfAFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("calculator.jit.md", "Round to cents.\n")
	put("README.md", "Not for models.")
	got, err := tools.Instructions(dir)
	if diff := cmp.Diff(map[string]string{"calculator": "Round to cents."}, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	put("long.jit.md", strings.Repeat("x", 17<<10))
	if _, err := tools.Instructions(dir); err == nil || !strings.Contains(err.Error(), "long.jit.md") {
		t.Errorf("too long a file: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "long.jit.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "away.jit.md")); err != nil {
		t.Fatal(err)
	}
	if _, err := tools.Instructions(dir); err == nil || !strings.Contains(err.Error(), "away.jit.md") {
		t.Errorf("a link out of the folder: %v", err)
	}
}
