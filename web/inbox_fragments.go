package web

import (
	"context"
	"time"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/part"
)

// inboxFragments is what an event about an approval changes on the open pages
// of a viewer: the count beside the link, and on the inbox the row itself. New
// rows come at the end and settled ones stay in their place, so nothing moves
// under the pointer. What the viewer may not see changes nothing for him.
func (s *Server) inboxFragments(ctx context.Context, v agent.Viewer, e agent.Event) []fragment {
	id, fresh := approvalOf(e)
	if id == "" {
		return nil
	}
	a, err := s.Store.Approval(ctx, v, id)
	if err != nil {
		return nil
	}
	out := rowFragments(*a, fresh, e.Seq > 0, s.Clock.Now())
	if pending, err := s.Store.CountPending(ctx, v); err == nil {
		out = append(out, fragment{Op: opReplace, Target: "pending-count", HTML: renderToString(part.PendingCount(pending))})
	}
	return out
}

// approvalOf names the approval that an event is about, and whether it was just asked.
func approvalOf(e agent.Event) (id string, fresh bool) {
	switch d := e.Data.(type) {
	case agent.ApprovalRequestedEvent:
		return d.ApprovalID, true
	case agent.ApprovalDecidedEvent:
		return d.ApprovalID, false
	default:
		return "", false
	}
}

// rowFragments puts a row in its place. What is live is also announced; what
// stood in the store when the socket opened is on most pages already.
func rowFragments(a agent.Approval, fresh, live bool, now time.Time) []fragment {
	row := inboxRow(a, now)
	target := "inbox-" + a.ID
	html := renderToString(page.InboxItem(row))
	if !fresh {
		return []fragment{{Op: opReplace, Target: target, HTML: html}}
	}
	out := []fragment{{Op: opRemove, Target: "inbox-empty"}, {Op: opAppend, Target: "inbox", HTML: html}}
	if live {
		out = append(out,
			fragment{Op: opReplace, Target: "inbox-new", HTML: renderToString(page.InboxNew())},
			fragment{Op: opAppend, Target: "live", HTML: renderToString(page.Announce("A new approval waits: " + row.What))})
	}
	return out
}
