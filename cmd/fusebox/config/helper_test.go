package config

import (
	"os"
	"path/filepath"
	"testing"
)

func load(t *testing.T, env []string, args ...string) (Config, error) {
	t.Helper()
	c, _, err := Load("serve", "", append(env, "FUSEBOX_DATA="+t.TempDir()), args)
	return c, err
}

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fusebox.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
