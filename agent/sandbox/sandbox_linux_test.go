package sandbox

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func data(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "workspaces", "c1"), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func open(t testing.TB, dir string, without ...string) *Sandbox {
	t.Helper()
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s, err := New(Options{Mode: Auto, Data: dir, Without: without, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sh(t testing.TB, s *Sandbox, dir, line string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	ws := filepath.Join(dir, "workspaces", "c1")
	cmd, r, err := s.Command(ctx, Spec{
		Args: []string{"/bin/sh", "-c", line}, Dir: ws, Write: []string{ws}, Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + ws},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out) + r.Trouble()), err
}

func TestWays(t *testing.T) {
	for _, without := range [][]string{{"bubblewrap"}, {"namespaces"}, {"namespaces", "bubblewrap"}, {"namespaces", "bubblewrap", "landlock", "filter"}} {
		dir := data(t)
		s := open(t, dir, without...)
		for _, line := range []string{"id; pwd; echo hi > f; ls -la; kill -9 $$", "ls /; ls /etc; ls /tmp; touch /tmp/x; ps ax; cat /etc/shadow; ls -la /dev /var; mount"} {
			out, err := sh(t, s, dir, line)
			t.Logf("%v: %v\n%s", without, err, out)
		}
	}
}

func BenchmarkCommand(b *testing.B) {
	dir := data(b)
	for name, without := range map[string][]string{"namespaces": {"bubblewrap"}, "bubblewrap": {"namespaces"}, "bare": {"namespaces", "bubblewrap"}} {
		s := open(b, dir, without...)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if out, err := sh(b, s, dir, "true"); err != nil {
					b.Fatal(out, err)
				}
			}
		})
	}
}
