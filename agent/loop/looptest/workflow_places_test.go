package looptest

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

// crowd is a workflow of fifty steps at the same time, each of which looks until it may go on.
type crowd struct {
	*world
	looks     chan struct{}
	now, most atomic.Int64
	root      string
}

// newCrowd begins the steps with some places in all, and for each person.
func newCrowd(t *testing.T, places, perUser int) *crowd {
	t.Helper()
	var steps []agent.WorkflowStep
	for i := range 50 {
		steps = append(steps, flowStep(fmt.Sprint("n", i), "east", "Look."))
	}
	w := newFlow(t, agent.Workflow{Kind: agent.FlowParallel, Steps: steps}, map[string][]agenttest.Turn{
		"east": {{Calls: []agent.CallRequest{agenttest.Call("a", "look", `{}`)}}, {Text: "A sail."}},
	})
	c := &crowd{world: w, looks: make(chan struct{})}
	w.tools.do["look"] = func(context.Context, agent.ToolInput) agent.ToolResult {
		c.most.Store(max(c.most.Load(), c.now.Add(1)))
		defer c.now.Add(-1)
		<-c.looks
		return agent.ToolResult{Content: "a sail"}
	}
	w.perUser = perUser
	w.start()
	w.runner.Parallel = places
	w.works()
	many, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "What is to be seen?", Workflow: "flow"})
	w.must(err)
	c.root = many.RunID
	return c
}

// filled waits until the steps have taken some places.
func (c *crowd) filled(places int64) {
	c.t.Helper()
	agenttest.Eventually(c.t, "the steps take all places", func() bool { return c.now.Load() == places })
}

// other begins another person's chat.
func (c *crowd) other() (run string) {
	c.t.Helper()
	c.must(c.store.CreateConversation(c.t.Context(), agent.Conversation{ID: "d", OwnerID: rex.UserID, ApprovalMode: agent.ModeDefault}))
	chat, err := c.service.Post(c.t.Context(), rex, service.Post{ConversationID: "d", Content: "Hello?"})
	c.must(err)
	return chat.RunID
}

// ended waits until a run has finished.
func (c *crowd) ended(v agent.Viewer, runID string) {
	c.t.Helper()
	agenttest.Eventually(c.t, "the end of a run of "+v.UserID, func() bool {
		run, err := c.store.Run(c.t.Context(), v, runID)
		c.must(err)
		return run.Status == agent.StatusFinished
	})
}

// over lets all steps go on, and wants all of them to answer.
func (c *crowd) over(places int64) {
	c.t.Helper()
	close(c.looks)
	c.ended(ana, c.root)
	if got := strings.Count(c.lastAnswer(), "A sail."); got != 50 || c.most.Load() > places {
		c.t.Errorf("%d steps have answered, %d at the same time", got, c.most.Load())
	}
}

// TestManyStepsLeaveRoomForOthers: fifty steps at the same time take one person's places, and
// another one's chat is answered meanwhile.
func TestManyStepsLeaveRoomForOthers(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 8, 4)
	c.filled(4)
	c.ended(rex, c.other())
	c.over(4)
}

// TestManyStepsLetOthersPass: where fifty steps have taken all places, the next one that is free is another
// person's, however many steps have waited for longer.
func TestManyStepsLetOthersPass(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 3, 0)
	c.filled(3)
	chat := c.other()
	c.looks <- struct{}{} // one of the steps goes on, and its place is free
	c.ended(rex, chat)
	c.filled(3)
	if begun := c.tools.executed("look"); begun > 4 {
		t.Errorf("%d steps had begun before the other one's chat", begun)
	}
	c.over(3)
}
