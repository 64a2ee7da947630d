package live

import (
	"context"
	"strconv"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/part"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/request"
)

// bellItems is how many approvals the bell's menu lists, bellAlerts how many alerts.
const (
	bellItems  = 8
	bellAlerts = 5
)

// ringing is what the bell has to tell one person.
type ringing struct {
	agent.Waiting
	// Alerts are the newest that they have not seen, Unseen counts all of them.
	Alerts []agent.Alert
	Unseen int
}

// Ringing reads what waits for the viewer, and the alerts they have not seen.
func (s *Bell) Ringing(ctx context.Context, v agent.Viewer) (ringing, error) {
	var r ringing
	var err error
	if r.Waiting, err = s.Store.Waiting(ctx, v, bellItems); err != nil {
		return r, err
	}
	r.Newest = s.Visibility.Entries(v, r.Newest)
	if r.Unseen, err = s.Store.UnseenAlerts(ctx, v); err != nil || r.Unseen == 0 {
		return r, err
	}
	newest, _, err := s.Alerts(ctx, v, agent.Page{Limit: bellAlerts})
	for _, a := range newest {
		if !a.Seen {
			r.Alerts = append(r.Alerts, a)
		}
	}
	return r, err
}

// BellProps is what waits, as the bell shows it.
func BellProps(tr *text.Printer, r ringing) part.Bell {
	b := part.Bell{Unread: r.Unread, Unseen: r.Unseen, Count: strconv.Itoa(r.Unread + r.Unseen), More: r.Pending}
	if r.Unread+r.Unseen >= agent.MaxUnread {
		b.Count = strconv.Itoa(agent.MaxUnread-1) + "+"
	}
	first := map[string]int{} // where the line is of those that ask for the same
	for _, e := range r.Newest {
		same := present.SameWish(e)
		if at, known := first[same]; known && same != "" {
			b.Items[at].Equal++
			b.Items[at].Unread = b.Items[at].Unread || e.Unread
			b.More--
			continue
		}
		first[same] = len(b.Items)
		item := part.BellItem{
			ID: e.ID, What: present.WishOf(tr, e.Approval).Line(tr), Title: present.InboxTitle(tr, e.Approval), Who: present.Person(e.OwnerName, e.OwnerEmail),
			Risk: present.InboxRisk(tr, e.Approval), Tone: present.RiskTone(e.Risk), Equal: 1, Asked: e.RequestedAt, Unread: e.Unread,
		}
		if e.Siblings > agent.LooseCards {
			item.Siblings = e.Siblings
		}
		b.Items = append(b.Items, item)
		b.More -= max(item.Siblings, 1)
	}
	b.More = max(b.More, 0) // some came between the count and the list
	b.Alerts = r.Alerts
	return b
}

// Alerts are a viewer's alerts as they see them now: those that were sent while
// money was shown to them no longer have its amounts.
func (s *Bell) Alerts(ctx context.Context, v agent.Viewer, p agent.Page) ([]agent.Alert, string, error) {
	items, next, err := s.Store.Alerts(ctx, v, p)
	if err == nil && len(items) > 0 && s.Visibility.TokensOnly(v) {
		for i := range items {
			items[i].Message = agent.WithoutAmounts(items[i].Message)
		}
	}
	return items, next, err
}

// Bell knows what waits for a viewer.
type Bell struct {
	Store      service.Store
	Visibility *request.Visibility
}
