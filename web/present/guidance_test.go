package present

import (
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/views/text"
)

// TestGuidanceIsShownOnce: what a person typed on a card is on the page once, with who
// typed it: on the card, or by itself where no card shows it.
func TestGuidanceIsShownOnce(t *testing.T) {
	t.Parallel()
	asked := agent.ApprovalRequestedEvent{ApprovalID: "a", Kind: agent.KindLoop, Message: "Again?", Evidence: []byte("{}")}
	said := agent.Message{ID: "g", RunID: "r", Role: agent.FromUser, Content: "Mind the tyre.", SaidBy: "rex@example.org"}
	edited := said
	edited.Content, edited.ToolCallID = `{"command":"ls"}`, "c"
	for name, tc := range map[string]struct {
		said  agent.Message
		by    string
		votes []agent.Vote
		times int
	}{
		"on the settled card":    {said: said, by: "rex@example.org", times: 1},
		"with a vote":            {said: said, by: "ria@example.org", votes: []agent.Vote{{By: "rex@example.org", Comment: "Mind the tyre. "}}, times: 1},
		"by itself":              {said: said, by: "ria@example.org", times: 1},
		"arguments, at the call": {said: edited, by: "rex@example.org"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScript()
			s.said("r", "u", "Check the car.")
			asked := asked
			asked.Votes, asked.Needs = tc.votes, 2
			decided := agent.ApprovalDecidedEvent{ApprovalID: "a", Kind: "loop", Decision: "resume", DecidedBy: tc.by}
			if tc.by == tc.said.SaidBy {
				decided.Comment = "Mind the tyre."
			}
			s.add("r", 0, agent.RunStart{Model: "demo"}, asked, decided, agent.MessageEvent{Message: tc.said})
			p := NewFold(text.In(t.Context()), agent.Conversation{ID: "c"}, false, func(agent.Approval) bool { return false })
			p.Replay(agent.Transcript{Events: s.events}, 100)
			html := ""
			for _, it := range p.items {
				html += RenderToString(p.Text, it.View())
			}
			if n := strings.Count(html, tc.said.Content); tc.times > 0 && n != tc.times || !strings.Contains(html, "rex@example.org") && tc.times > 0 {
				t.Errorf("shown %d times in %s", n, html)
			}
			if tc.times == 0 && strings.Contains(html, "m-g") {
				t.Errorf("shown beside the call: %s", html)
			}
			if p.Run.id != "r" {
				t.Error("the run was left")
			}
		})
	}
}
