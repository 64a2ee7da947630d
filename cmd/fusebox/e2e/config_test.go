package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

// writeConfig writes a configuration file.
func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fusebox.toml")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}
