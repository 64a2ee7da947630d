package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"fusebox/agent/agenttest"
)

// TestFullDiskIsNotReady: a server whose disk is full says so while it still answers,
// and is ready again once there is room.
func TestFullDiskIsNotReady(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if err := syscall.Mount("tmpfs", data, "tmpfs", 0, "size=32m"); err != nil {
		t.Skipf("skipped: a small disk cannot be mounted here: %v", err)
	}
	p := startProgram(t, data)
	p.expectError(`The disk with the database is full`)
	t.Cleanup(func() {
		p.kill()
		if err := syscall.Unmount(data, 0); err != nil {
			t.Error(err)
		}
	})
	anybody := api{t: t, url: p.url}
	if status, raw := anybody.call("GET", "/readyz", ""); status != http.StatusOK {
		t.Fatalf("with room: %d %s", status, raw)
	}
	filler := filepath.Join(data, "filler")
	if err := os.WriteFile(filler, make([]byte, 64<<20), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	agenttest.Eventually(t, "the server to notice", func() bool {
		status, raw := anybody.call("GET", "/readyz", "")
		return status == http.StatusServiceUnavailable && strings.Contains(string(raw), "disk")
	})
	if status, _ := anybody.call("HEAD", "/healthz", ""); status != http.StatusOK {
		t.Errorf("the process: %d", status)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	agenttest.Eventually(t, "the server to be ready again", func() bool {
		status, _ := anybody.call("GET", "/readyz", "")
		return status == http.StatusOK
	})
}
