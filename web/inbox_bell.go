package web

import (
	"strconv"

	"fusebox/agent"
	"fusebox/views/part"
)

// bellItems is how many approvals the bell's menu lists.
const bellItems = 8

// bellProps is what waits, as the bell shows it.
func bellProps(w agent.Waiting) part.Bell {
	b := part.Bell{Unread: w.Unread, Count: strconv.Itoa(w.Unread), More: w.Pending - len(w.Newest)}
	if w.Unread >= agent.MaxUnread {
		b.Count = strconv.Itoa(agent.MaxUnread-1) + "+"
	}
	for _, e := range w.Newest {
		b.Items = append(b.Items, part.BellItem{
			ID: e.ID, What: inboxWhat(e.Approval), Risk: string(e.Risk), Who: e.OwnerEmail, Asked: e.RequestedAt, Unread: e.Unread,
		})
	}
	return b
}

// waitingFragments are the count beside the inbox link, and the bell in both of its places.
func waitingFragments(w agent.Waiting) []fragment {
	out := []fragment{{Op: opReplace, Target: "pending-count", HTML: renderToString(part.PendingCount(w.Pending))}}
	for _, id := range part.Bells {
		out = append(out, fragment{Op: opReplace, Target: id, HTML: renderToString(part.BellMenu(id, bellProps(w)))})
	}
	return out
}
