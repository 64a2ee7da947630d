package store_test

import (
	"path/filepath"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// TestChatListSaysWhoIsWaitedFor: a chat whose run waits for agents is at work as long as one of
// them is and none asks a person.
func TestChatListSaysWhoIsWaitedFor(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	c := children{t, s, clock, seed(t, s, clock)}
	status := func() agent.Status {
		t.Helper()
		list, err := s.ChatList(t.Context(), agent.ChatListQuery{OwnerID: "u", Limit: 1})
		check(t, err)
		return list.Items[0].ActiveStatus
	}
	asking := c.running("asking")
	c.running("working")
	parent := *c.parent
	parent.Status = agent.StatusPaused
	_, err := s.Append(t.Context(), agent.Change{ConversationID: "c", RunID: parent.ID, Epoch: parent.Epoch, Run: &parent})
	check(t, err)
	if got := status(); got != agent.StatusRunning {
		t.Errorf("while its agents work, the chat is %s", got)
	}
	asking.Status = agent.StatusPaused
	c.commits(asking, agent.Change{Run: asking, Approvals: []agent.ApprovalChange{{Approval: agent.Approval{
		ID: "a", RunID: asking.ID, ConversationID: "c", Kind: agent.KindTool, Status: agent.ApprovalPending, Generation: 1, RequestedAt: clock.Now(),
	}}}})
	if got := status(); got != agent.StatusPaused {
		t.Errorf("while an agent asks, the chat is %s", got)
	}
}
