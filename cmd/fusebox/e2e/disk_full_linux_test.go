package e2e

import (
	"net/http"
	"strings"
	"testing"

	"fusebox/agent/agenttest"
)

// TestFullDiskIsNotReady: a server whose disk is full says so while it still answers,
// and is ready again once there is room.
func TestFullDiskIsNotReady(t *testing.T) {
	t.Parallel()
	data, fill, empty := smallDisk(t, "32m")
	p := startProgram(t, data)
	p.expectError(`The disk with the database is full`)
	t.Cleanup(p.kill) // before its disk goes
	anybody := api{t: t, url: p.url}
	if status, raw := anybody.call("GET", "/readyz", ""); status != http.StatusOK {
		t.Fatalf("with room: %d %s", status, raw)
	}
	fill()
	agenttest.Eventually(t, "the server to notice", func() bool {
		status, raw := anybody.call("GET", "/readyz", "")
		return status == http.StatusServiceUnavailable && strings.Contains(string(raw), "disk")
	})
	if status, _ := anybody.call("HEAD", "/healthz", ""); status != http.StatusOK {
		t.Errorf("the process: %d", status)
	}
	empty()
	agenttest.Eventually(t, "the server to be ready again", func() bool {
		status, _ := anybody.call("GET", "/readyz", "")
		return status == http.StatusOK
	})
}
