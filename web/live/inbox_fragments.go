package live

import (
	"context"
	"slices"

	"github.com/a-h/templ"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present"
)

// approvalsOf names the approvals that events are about, each once.
func approvalsOf(events []agent.Event) []string {
	var ids []string
	for _, e := range events {
		id := ""
		switch d := e.Data.(type) {
		case agent.ApprovalRequestedEvent:
			id = d.ApprovalID
		case agent.ApprovalDecidedEvent:
			id = d.ApprovalID
		}
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// row puts a row in the place of the one that the page shows, if it does: new
// rows come at the end and settled ones stay where they are, so that nothing
// moves under the pointer.
func (w *inboxWatch) row(ctx context.Context, e agent.InboxEntry) present.Fragment {
	return rendered(ctx, present.OpReplace, "inbox-"+e.ID, page.InboxItem(w.s.Cards.Row(ctx, w.v, e, w.looking[e.ID].Text(ctx))))
}

// again is a row that the page may show, as it is now: on its other side where it changes sides.
func (w *inboxWatch) again(ctx context.Context, e agent.InboxEntry) []present.Fragment {
	if w.strays(e) {
		return w.added(ctx, e)
	}
	return []present.Fragment{w.row(ctx, e)}
}

// strays reports whether a page that shows all that waits has a row that waits on the wrong side.
func (w *inboxWatch) strays(e agent.InboxEntry) bool {
	aside, shown := w.aside[e.ID]
	return w.whole && shown && aside == e.Mine && e.Status == agent.ApprovalPending
}

// added puts a row at the end of a page that shows all that waits, or of what waits there
// for others.
func (w *inboxWatch) added(ctx context.Context, e agent.InboxEntry) []present.Fragment {
	row := w.row(ctx, e)
	var out []present.Fragment
	if w.strays(e) {
		out = append(out, present.Fragment{Op: present.OpRemove, Target: row.Target})
	}
	w.aside[e.ID] = !e.Mine
	if !e.Mine {
		return append(out, present.Fragment{Op: present.OpAppend, Target: "inbox-others", HTML: row.HTML})
	}
	return append(out, present.Fragment{Op: present.OpRemove, Target: "inbox-empty"}, present.Fragment{Op: present.OpAppend, Target: "inbox", HTML: row.HTML})
}

// changed is what an event about an approval changes: one that was just asked
// is new, and other pages of the list learn that there is something new.
func (w *inboxWatch) changed(ctx context.Context, e agent.InboxEntry) []present.Fragment {
	if !fresh(e.Approval) {
		out := w.again(ctx, e)
		if e.Status != agent.ApprovalPending {
			said := text.T(ctx, "page.inbox.said", present.WishOf(text.In(ctx), e.Approval).Line(text.In(ctx)), present.SettledBy(text.In(ctx), e.Approval))
			out = append(out, rendered(ctx, present.OpAppend, "live", page.Said(said)))
		}
		return out
	}
	if !e.Mine && e.OwnerID != w.v.UserID { // owners hear of what their own runs wait for
		return w.added(ctx, e)
	}
	wish := present.WithRisk(text.In(ctx), present.WishOf(text.In(ctx), e.Approval).Line(text.In(ctx)), e.Approval)
	said := text.T(ctx, "page.inbox.new", wish)
	if e.Generation > 1 {
		said = text.T(ctx, "page.inbox.again", wish)
	}
	return append(w.added(ctx, e),
		rendered(ctx, present.OpReplace, "inbox-new", page.InboxNew()),
		rendered(ctx, present.OpAppend, "live", page.Announce(said, "/approvals")))
}

// fresh reports whether nothing has happened to an approval since it was asked.
func fresh(a agent.Approval) bool {
	return a.Status == agent.ApprovalPending && len(a.Votes) == 0 && a.Stage == agent.StageAsked
}

// rendered is a change of a page, in the language of its reader.
func rendered(ctx context.Context, op, target string, c templ.Component) present.Fragment {
	return present.Fragment{Op: op, Target: target, HTML: present.RenderToString(text.In(ctx), c)}
}

// ticked is what has changed without an event: who is looking, and new alerts.
func (w *inboxWatch) ticked(ctx context.Context) ([]present.Fragment, error) {
	out, err := w.looks(ctx)
	if err != nil {
		return nil, err
	}
	before := w.unseen
	now, err := w.s.Bell.Store.UnseenAlerts(ctx, w.v)
	if err != nil || now == before {
		return out, err
	}
	if out, err = w.counted(ctx, out); err != nil || now < before {
		return out, err
	}
	said := text.T(ctx, "page.alerts.new")
	return append(out, rendered(ctx, present.OpAppend, "live", page.Announce(said, "/alerts"))), nil
}
