package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent/agenttest"
)

// TestPlanOutlivesAKill: a plan that was written down is there after the server was killed,
// and its person changes it while the run waits.
func TestPlanOutlivesAKill(t *testing.T) {
	t.Parallel()
	h := startInstance(t)
	plan := asked{"update_plan", `{"plan":[{"step":"Look","status":"done"},{"step":"Wait","status":"in_progress","note":"for Ben"}]}`}
	chat, run := h.edits(t, h.ana, map[string]string{"run.sh": "echo good >> log\nwhile test -e wait; do sleep 0.05; done\n", "wait": ""}, []asked{plan, sh("sh run.sh")})
	decides(h.rex, h.card(t, run), `{"decision":"approve"}`)
	agenttest.Eventually(t, "the effect", func() bool { return h.left(t, run, "log") != "" })
	h.kill()
	must(t, os.Remove(filepath.Join(h.data, "workspaces", chat, "wait")))
	h.program = startProgram(t, h.data, h.env...)
	h.as(t)
	want := []any{map[string]any{"step": "Look", "status": "completed"}, map[string]any{"step": "Wait", "status": "in_progress", "note": "for Ben"}}
	if diff := cmp.Diff(want, h.ana.rests(run)["plan"]); diff != "" {
		t.Errorf("plan after the kill (-want +got):\n%s", diff)
	}
	path := "/api/v1/runs/" + run + "/plan"
	if status, _ := h.rex.call("PUT", path, `{"plan":[{"step":"Mine","status":"completed"}]}`); status != http.StatusForbidden {
		t.Errorf("another person's change: %d", status)
	}
	if status, _ := h.ana.call("PUT", path, `{"plan":[{"step":"Wait no more","status":"completed"}]}`); status != http.StatusNoContent {
		t.Errorf("the change: %d", status)
	}
	decides(h.rex, h.card(t, run), `{"decision":"reject"}`)
	done := h.ana.rests(run)
	if diff := cmp.Diff([]any{map[string]any{"step": "Wait no more", "status": "completed"}}, done["plan"]); diff != "" || done["status"] != "finished" {
		t.Errorf("the run is %v; its plan (-want +got):\n%s", done["status"], diff)
	}
}
