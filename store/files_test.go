package store_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// TestLostFilesAreNoticed: another process, or a slip in this one, can take
// the files or the locks of an open database away.
func TestLostFilesAreNoticed(t *testing.T) {
	t.Parallel()
	for name, take := range map[string]func(path string) error{
		"a deleted log": func(path string) error { return os.Remove(path + "-wal") },
		"a replaced log": func(path string) error {
			if err := os.Remove(path + "-wal"); err != nil {
				return err
			}
			return os.WriteFile(path+"-wal", nil, 0o600)
		},
		"a moved database": func(path string) error { return os.Rename(path, path+".old") },
		"a lost index":     func(path string) error { return os.Remove(path + "-shm") },
		"lost locks":       func(path string) error { _, err := os.ReadFile(path); return err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "lost locks" && runtime.GOOS != "linux" {
				t.Skip("only Linux tells which locks a process has")
			}
			path := filepath.Join(t.TempDir(), "fusebox.db")
			s := open(t, path, agenttest.NewClock(), nil)
			if err := s.FilesIntact(); err != nil {
				t.Fatalf("at first: %v", err)
			}
			if err := take(path); err != nil {
				t.Fatal(err)
			}
			if err := s.FilesIntact(); agent.CodeOf(err) != agent.Unavailable {
				t.Errorf("noticed: %v", err)
			}
			if err := s.Audit(t.Context(), agent.AuditRow{ID: "1", Action: "test"}); agent.CodeOf(err) != agent.Unavailable {
				t.Errorf("a write: %v", err)
			}
			if err := s.Ready(t.Context()); agent.CodeOf(err) != agent.Unavailable {
				t.Errorf("ready: %v", err)
			}
		})
	}
}

// TestOpeningTwiceKeepsTheLocks: a second store in this process takes nothing from the first.
func TestOpeningTwiceKeepsTheLocks(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "fusebox.db")
	s := open(t, path, agenttest.NewClock(), nil)
	check(t, open2(t, path).Close())
	check(t, s.FilesIntact())
	check(t, s.Audit(t.Context(), agent.AuditRow{ID: "1", Action: "test"}))
}
