package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
)

// branchedChat gives a chat so many messages, and as many branches: runs of a question and an answer, of which
// some are another version of the one before. It returns the run of the last question, which is at work.
func (s *site) branchedChat(id string, u agent.User, messages, branches int) (run *agent.Run) {
	s.t.Helper()
	parent, before := "", ""
	turns := messages / 2
	for i := range turns {
		after := parent
		if branches > 0 && i > 0 && i%(turns/branches) == 0 {
			after = before
		}
		in := agent.NewMessage{
			ConversationID: id, UserID: u.ID, MessageID: s.newID(), RunID: s.newID(), ParentID: after, Content: fmt.Sprintf("%200d", i), Model: "demo",
			Limits: agent.Limits{Steps: 9, DurationMS: 1e6},
		}
		_, err := s.db.Enqueue(s.t.Context(), in)
		s.ok(err)
		run, err = s.db.Claim(s.t.Context(), "test", time.Hour)
		s.ok(err)
		if i == turns-1 {
			return run
		}
		answer := agent.Message{
			ID: s.newID(), ConversationID: id, ParentID: in.MessageID, Role: agent.FromAssistant, RunID: run.ID, Content: fmt.Sprintf("**%1000d**", i), CreatedAt: s.clock.Now(),
		}
		run.Status, run.EndedAt = agent.StatusFinished, s.clock.Now()
		s.append(run, agent.Change{
			Run: run, Messages: []agent.Message{answer},
			Events: []agent.Event{{Data: agent.StepStart{MessageID: answer.ID}}, {Data: agent.MessageEvent{Message: answer}}, {Data: agent.Finish{Status: run.Status}}},
		})
		before, parent = after, answer.ID
	}
	return run
}

// BenchmarkBranchedChat shows the page of a chat of 2,000 messages with 300 branches, and streams pieces of an
// answer there and in a new chat, each to a page that is open.
func BenchmarkBranchedChat(b *testing.B) {
	s := newSite(b)
	u := s.user("ana@example.com", agent.RoleUser)
	who := s.as(u)
	for _, size := range []struct{ messages, branches int }{{2, 0}, {2000, 300}} {
		id := s.client(u).conversation()
		run := s.branchedChat(id, u, size.messages, size.branches)
		name := fmt.Sprint(size.messages, " messages/")
		b.Run(name+"page", func(b *testing.B) {
			for b.Loop() {
				if page := who.get("/c/" + id); page.status != 200 {
					b.Fatal(page.status)
				}
			}
		})
		page := who.get("/c/" + id)
		shown := seqAndLeaf.FindStringSubmatch(page.body)
		ws := s.socket(who, "/ws/conversations/"+id+"?format=html&after="+shown[1]+"&leaf="+shown[2])
		draft := s.newID()
		s.append(run, agent.Change{Events: []agent.Event{{Data: agent.StepStart{MessageID: draft}}}})
		n := 0
		b.Run(name+"delta", func(b *testing.B) {
			for b.Loop() {
				n++
				word := fmt.Sprintf("w%dw", n)
				s.append(run, agent.Change{Events: []agent.Event{{Data: agent.TextDelta{ID: draft, Delta: word + "\n\n"}}}})
				for !strings.Contains(s.fragments(ws), word) {
				}
			}
		})
	}
}
