package looptest

import (
	"context"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

// TestOneOfSeveralCallsIsCancelled: the call that a person cancels ends with a result that
// says so, its sibling and its run do not; the audit log has who it was. Nobody else's
// run, and no call that has ended, can be cancelled.
func TestOneOfSeveralCallsIsCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("slow", "look", `{"x":1}`), agenttest.Call("quick", "look", `{"x":2}`)}}, agenttest.Turn{Text: "Done."})
	running := make(chan string, 1)
	w.tools.do["look"] = func(ctx context.Context, in agent.ToolInput) agent.ToolResult {
		if in.CallID == "quick" {
			return agent.ToolResult{Content: "seen"}
		}
		running <- in.RunID
		<-ctx.Done()
		return agent.ToolResult{ErrorType: agent.ErrCancelled, Content: "half seen"}
	}
	go func() {
		runID := <-running
		if _, err := w.service.CancelCall(context.Background(), agent.Viewer{UserID: "eve", Role: agent.RoleUser}, runID, "slow"); agent.CodeOf(err) != agent.NotFound {
			t.Errorf("a stranger cancels: %v", err)
		}
		if _, err := w.service.CancelCall(context.Background(), ana, runID, "slow"); err != nil {
			t.Error(err)
		}
	}()
	done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "look twice"})
	w.must(err)
	run := w.advance(done.RunID)
	if run.Status != agent.StatusFinished {
		t.Errorf("the run is %s", run.Status)
	}
	results := map[string]agent.ToolCallResult{}
	for _, r := range find[agent.ToolCallResult](w.events()) {
		results[r.ToolCallID] = r
	}
	if r := results["slow"]; r.ErrorType != agent.ErrCancelled || !strings.Contains(r.Result, "A person cancelled this call") || !strings.Contains(r.Result, "half seen") {
		t.Errorf("the cancelled call says %+v", r)
	}
	if r := results["quick"]; r.Result != "seen" {
		t.Errorf("its sibling says %+v", r)
	}
	w.soundHistory()
	rows, _, err := w.store.AuditRows(t.Context(), agent.AuditFilter{Action: "call.cancel"}, agent.Page{})
	if w.must(err); len(rows) != 1 || rows[0].Actor != ana.Email || !strings.HasSuffix(rows[0].Target, "/slow") {
		t.Errorf("the audit log has %+v", rows)
	}
	if _, err := w.service.CancelCall(t.Context(), ana, run.ID, "slow"); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("a call that has ended is cancelled: %v", err)
	}
}

// unreadable is a store that cannot tell which run a call has made.
type unreadable struct{ service.RunStore }

func (unreadable) ChildOf(context.Context, string, string) (string, error) {
	return "", agent.Errorf(agent.Unavailable, "The database is busy.")
}

// TestCancellingTellsWhatFailed: a call whose run cannot be found now is not said to have ended.
func TestCancellingTellsWhatFailed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Turn{Text: "Done."})
	run := w.post("go")
	w.service.Runs.Store = unreadable{w.service.Runs.Store}
	if _, err := w.service.CancelCall(t.Context(), ana, run.ID, "slow"); agent.CodeOf(err) != agent.Unavailable {
		t.Errorf("the call is cancelled: %v", err)
	}
}
