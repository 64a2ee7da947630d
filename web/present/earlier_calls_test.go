package present

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/views/text"
)

// TestEarlierCallsInChat: an answer may ask for hundreds of calls, and each card would show
// all those before it. In the chat it shows the last ones, its own page shows all.
func TestEarlierCallsInChat(t *testing.T) {
	t.Parallel()
	var before []agent.EarlierCall
	for i := range 250 {
		before = append(before, agent.EarlierCall{ToolName: "run_shell", Asks: true, Command: fmt.Sprintf("make part-%03d", i)})
	}
	evidence, err := json.Marshal(agent.ToolEvidence{Command: "make all", Before: before})
	if err != nil {
		t.Fatal(err)
	}
	s := newScript()
	s.said("r1", "u1", "Build it")
	s.add("r1", 1, agent.ApprovalRequestedEvent{ApprovalID: "a1", Kind: agent.KindTool, ToolCallID: "c1", Evidence: evidence})
	p := as("bob@example.com", agent.RoleReviewer, "o")()
	for _, e := range s.events {
		p.Apply(e)
	}
	chat := RenderToString(p.Text, p.cards.view("a1"))
	if got := strings.Count(chat, "make part-"); got != beforeInChat || !strings.Contains(chat, "make part-249") {
		t.Errorf("the card in the chat shows %d earlier calls, want the last %d", got, beforeInChat)
	}
	if !strings.Contains(chat, `<a href="/approvals/a1">See 247 earlier calls`) {
		t.Error("the card in the chat does not lead to the others")
	}
	own := ApprovalProps(text.For("en"), *p.cards.byID["a1"], Onlooker{Viewer: p.Viewer})
	if len(own.Call.Before) != len(before) || own.Call.BeforeMore != 0 {
		t.Errorf("its own page shows %d earlier calls, want %d", len(own.Call.Before), len(before))
	}
}
