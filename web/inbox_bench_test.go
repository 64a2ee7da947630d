package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"fusebox/agent"
)

// benchPending is how many approvals wait while the inbox is measured.
const benchPending = 10_000

// fill makes approvals that wait, 100 in a conversation, each kind of row among
// them; every tenth is read by the one reader, all by the other.
func (s *site) fill(n int, owner, some, all agent.User) {
	s.t.Helper()
	for at := 0; at < n; at += 100 {
		run := s.started(owner, fmt.Sprintf("Conversation %d", at/100))
		e := agent.Change{Run: run}
		run.Status = agent.StatusPaused
		var ids []string
		for i := at; i < min(n, at+100); i++ {
			a := []agent.Approval{writeCard(agent.RiskMedium, fmt.Sprintf("notes-%d.md", i)), shellCard(agent.RiskHigh, fmt.Sprintf("make build-%d", i)), loopCard()}[i%3]
			a.ID, a.RunID, a.ConversationID, a.Status, a.Generation = s.newID(), run.ID, run.ConversationID, agent.ApprovalPending, 1
			a.RequestedAt, a.ExpiresAt = s.clock.Now(), s.clock.Now().Add(24*time.Hour)
			e.Approvals = append(e.Approvals, agent.ApprovalChange{Approval: a})
			ids = append(ids, a.ID)
		}
		s.append(run, e)
		for i, id := range ids {
			if i%10 == 0 {
				s.ok(s.db.NotePresence(s.t.Context(), some.Viewer(), id, false))
			}
			s.ok(s.db.NotePresence(s.t.Context(), all.Viewer(), id, false))
		}
	}
}

// BenchmarkInbox is GET /approvals with 10,000 approvals that wait, through the
// whole server and over a real database.
func BenchmarkInbox(b *testing.B) {
	s := newSite(b)
	rita, bob := s.user("rita@example.org", agent.RoleReviewer), s.user("bob@example.org", agent.RoleUser)
	ida := s.user("ida@example.org", agent.RoleReviewer)
	s.fill(benchPending, bob, rita, ida)
	reviewer, diligent, owner := s.as(rita), s.as(ida), s.as(bob)
	later, _, err := s.db.Inbox(b.Context(), rita.Viewer(), agent.ApprovalFilter{Status: agent.ApprovalPending}, agent.Page{Limit: 1})
	s.ok(err)
	_, cursor, err := s.db.Inbox(b.Context(), rita.Viewer(), agent.ApprovalFilter{Status: agent.ApprovalPending}, agent.Page{Limit: 200})
	s.ok(err)
	for _, page := range []struct {
		name, path string
		by         *browser
	}{
		{"first", "/approvals", reviewer},
		{"second", "/approvals?cursor=" + url.QueryEscape(cursor), reviewer},
		{"kind", "/approvals?kind=loop", reviewer},
		{"tool", "/approvals?tool=write_file&risk=medium", reviewer},
		{"none", "/approvals?tool=no_such_tool", reviewer},
		{"age", "/approvals?age=1h", reviewer},
		{"unread", "/approvals?unread=true", reviewer},
		{"search", "/approvals?search=notes-9", reviewer},
		{"search-none", "/approvals?search=nothing+has+this", reviewer},
		{"all", "/approvals?status=all", reviewer},
		{"all-read", "/approvals", diligent},
		{"none-unread", "/approvals?unread=true", diligent},
		{"owner", "/approvals", owner},
		{"one", "/approvals/" + later[0].ID, reviewer},
	} {
		b.Run(page.name, func(b *testing.B) {
			for b.Loop() {
				if got := page.by.get(page.path); got.status != http.StatusOK {
					b.Fatal(got.status)
				}
			}
		})
	}
}
