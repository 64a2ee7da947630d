package store_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// BenchmarkVersions reads a chat of 2,000 messages with 300 branches, and what it takes to change to another one.
func BenchmarkVersions(b *testing.B) {
	clock := agenttest.NewClock()
	s := open(b, filepath.Join(b.TempDir(), "f.db"), clock, nil)
	run := seed(b, s, clock)
	var all []agent.Message
	parent := "m1"
	for i := range 2000 {
		m := agent.Message{ID: fmt.Sprintf("n%04d", i), ConversationID: "c", ParentID: parent, Role: agent.FromUser, Content: fmt.Sprintf("%2000d", i), RunID: run.ID, CreatedAt: clock.Now()}
		if i%20 < 3 && i > 0 { // another version of the message before
			m.ParentID = all[i-1].ParentID
		}
		parent, all = m.ID, append(all, m)
	}
	_, err := s.Append(b.Context(), agent.Change{ConversationID: "c", RunID: run.ID, Epoch: run.Epoch, Messages: all})
	check(b, err)
	_, err = s.UpdateConversation(b.Context(), owner, "c", agent.ConversationPatch{LeafID: new("n1999")})
	check(b, err)
	b.Run("chosen", func(b *testing.B) {
		for b.Loop() {
			messages, err := s.Messages(b.Context(), owner, "c")
			check(b, err)
			if len(messages) != 1702 {
				b.Fatal(len(messages))
			}
		}
	})
	b.Run("another", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			_, err := s.Branch(b.Context(), owner, "c", []string{"n1000", "n0041"}[i%2])
			check(b, err)
		}
	})
	b.Run("choose", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			_, err := s.UpdateConversation(b.Context(), owner, "c", agent.ConversationPatch{LeafID: new([]string{"n0021", "n1999"}[i%2])})
			check(b, err)
		}
	})
	b.Run("below", func(b *testing.B) {
		for b.Loop() {
			_, err := s.Below(b.Context(), agent.Version{ConversationID: "c", ID: "m1"})
			check(b, err)
		}
	})
}
