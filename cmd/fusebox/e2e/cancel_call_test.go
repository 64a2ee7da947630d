package e2e

import (
	"net/http"
	"strings"
	"testing"

	"fusebox/agent/agenttest"
)

// TestCancelCommand: its owner cancels a command that runs, over the API and on the page; the
// run goes on without it.
func TestCancelCommand(t *testing.T) {
	t.Parallel()
	h := startInstance(t)
	for _, door := range []string{"/api/v1/runs/", "/runs/"} {
		run := h.asks(t, []asked{{"run_shell", `{"command":"echo begun; sleep 1000"}`}})
		h.rex.decide(run, `{"decision":"approve"}`)
		call := "call_0_0"
		agenttest.Eventually(t, "the command", func() bool {
			path := door + run + "/calls/" + call + "/cancel"
			if door == "/runs/" {
				path = door + run + "/cancel?call=" + call
			}
			status, _ := h.ana.call(http.MethodPost, path, "")
			return status == http.StatusAccepted || status == http.StatusOK // the chat, where the page leads back to it
		})
		if got := h.ana.rests(run); got["status"] != "finished" {
			t.Errorf("%s: %v", door, got)
		}
		if results := h.results(run); len(results) != 1 || !strings.Contains(results[0], "A person cancelled this call") {
			t.Errorf("%s: results %q", door, results)
		}
	}
}
