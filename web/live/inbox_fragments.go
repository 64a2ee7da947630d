package live

import (
	"context"
	"slices"

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
	return present.Fragment{Op: present.OpReplace, Target: "inbox-" + e.ID, HTML: present.RenderToString(text.In(ctx), page.InboxItem(w.s.Cards.Row(ctx, w.v, e, w.looking[e.ID].Text(ctx))))}
}

// added puts a row at the end of a page that shows all that waits, or of what waits there
// for others.
func (w *inboxWatch) added(ctx context.Context, e agent.InboxEntry) []present.Fragment {
	row := w.row(ctx, e)
	if !e.Mine {
		return []present.Fragment{{Op: present.OpAppend, Target: "inbox-others", HTML: row.HTML}}
	}
	return []present.Fragment{{Op: present.OpRemove, Target: "inbox-empty"}, {Op: present.OpAppend, Target: "inbox", HTML: row.HTML}}
}

// changed is what an event about an approval changes: one that was just asked
// is new, and other pages of the list learn that there is something new.
func (w *inboxWatch) changed(ctx context.Context, e agent.InboxEntry) []present.Fragment {
	if !fresh(e.Approval) {
		return append([]present.Fragment{w.row(ctx, e)}, settledSaid(ctx, e)...)
	}
	if !e.Mine && e.OwnerID != w.v.UserID { // nothing that they have to know of
		return w.added(ctx, e)
	}
	wish := present.WithRisk(text.In(ctx), present.WishOf(text.In(ctx), e.Approval).String(), e.Approval)
	said := text.T(ctx, "page.inbox.new", wish)
	if e.Generation > 1 {
		said = text.T(ctx, "page.inbox.again", wish)
	}
	return append(w.added(ctx, e),
		present.Fragment{Op: present.OpReplace, Target: "inbox-new", HTML: present.RenderToString(text.In(ctx), page.InboxNew())},
		present.Fragment{Op: present.OpAppend, Target: "live", HTML: present.RenderToString(text.In(ctx), page.Announce(said, "/approvals"))})
}

// settledSaid tells screen readers what was decided.
func settledSaid(ctx context.Context, e agent.InboxEntry) []present.Fragment {
	if e.Status == agent.ApprovalPending {
		return nil
	}
	said := text.T(ctx, "page.inbox.said", present.WishOf(text.In(ctx), e.Approval), present.SettledBy(text.In(ctx), e.Approval))
	return []present.Fragment{{Op: present.OpAppend, Target: "live", HTML: present.RenderToString(text.In(ctx), page.Said(said))}}
}

// fresh reports whether nothing has happened to an approval since it was asked.
func fresh(a agent.Approval) bool {
	return a.Status == agent.ApprovalPending && len(a.Votes) == 0 && a.Stage == agent.StageAsked
}

// lookingFragment says on the approval's own page who else has it open.
func lookingFragment(ctx context.Context, w watcher) present.Fragment {
	return present.Fragment{Op: present.OpReplace, Target: "looking", HTML: present.RenderToString(text.In(ctx), page.Looking(w.Text(ctx)))}
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
	return append(out, present.Fragment{Op: present.OpAppend, Target: "live", HTML: present.RenderToString(text.In(ctx), page.Announce(said, "/alerts"))}), nil
}
