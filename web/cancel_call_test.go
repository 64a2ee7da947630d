package web_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/loop"
	"fusebox/agent/service"
	"fusebox/web"
)

// hangingTool ends no call before it is cancelled.
type hangingTool struct {
	lookTool
	began chan string // identifiers of calls
}

func (h hangingTool) Execute(ctx context.Context, _ string, in agent.ToolInput) agent.ToolResult {
	h.began <- in.CallID
	<-ctx.Done()
	return agent.ToolResult{ErrorType: agent.ErrCancelled}
}

// next is the call that began last.
func (h hangingTool) next(t *testing.T) string {
	t.Helper()
	return agenttest.Receive(t, "a call", h.began)
}

// TestCancelACall: a call that hangs is cancelled over the API and on the page, by nobody
// but the owner of its run; the run goes on.
func TestCancelACall(t *testing.T) {
	t.Parallel()
	var runs *service.Runs
	s := newSite(t, func(o *web.Options) { runs = o.Runs })
	tool := hangingTool{began: make(chan string, 1)}
	engine := s.engine(agenttest.Script(
		agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("one", "look", `{"x":1}`)}},
		agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("two", "look", `{"x":2}`)}},
		agenttest.Turn{Text: "Both hang."},
	), tool)
	runs.Runner = &loop.Runner{Loop: engine, Clock: s.clock, Log: engine.Log}
	ana := s.user("ana@example.com", agent.RoleUser)
	c, eve := s.client(ana), s.client(s.user("eve@example.com", agent.RoleUser))
	chat := c.conversation()
	posted := c.call(http.MethodPost, "/api/v1/conversations/"+chat+"/messages", `{"content":"look twice"}`)
	var ids agent.Enqueued
	s.ok(json.Unmarshal([]byte(posted.body), &ids))
	run, err := s.db.Claim(t.Context(), "test", time.Minute)
	s.ok(err)
	ended := make(chan error, 1)
	go func() { ended <- engine.Advance(t.Context(), run) }()

	path := "/api/v1/runs/" + ids.RunID + "/calls/" + tool.next(t) + "/cancel"
	eve.call(http.MethodPost, path, "").check(t, want{status: http.StatusNotFound})
	c.call(http.MethodPost, path, "").check(t, want{status: http.StatusAccepted})
	second := tool.next(t)
	s.as(ana).post("/runs/"+ids.RunID+"/cancel", form("call", second)).check(t, want{status: http.StatusSeeOther, location: "/c/" + chat})
	s.ok(agenttest.Receive(t, "the end of the run", ended))
	c.call(http.MethodGet, "/api/v1/runs/"+ids.RunID, "").check(t, want{status: http.StatusOK, has: []string{`"status":"finished"`}})
}
