package live

import (
	"context"
	"slices"

	"fusebox/agent"
	"fusebox/web/present"
)

// listed are the approvals that the inbox lists of the runs of some: of an answer that
// asks for many, the first stands for all.
func (w *inboxWatch) listed(ctx context.Context, entries []agent.InboxEntry) (map[string]agent.InboxEntry, error) {
	all := map[string]agent.InboxEntry{}
	var runs []string
	for _, e := range entries {
		if slices.Contains(runs, e.RunID) {
			continue
		}
		runs = append(runs, e.RunID)
		f := agent.ApprovalFilter{Status: agent.ApprovalPending, RunID: e.RunID, Grouped: true}
		of, _, err := w.s.Store.Inbox(ctx, w.v, f, agent.Page{Limit: inboxPage})
		if err != nil {
			return nil, err
		}
		for _, sibling := range of {
			all[sibling.ID] = sibling
		}
	}
	return all, nil
}

// siblings are the rows that take the place of one that stood for many and was decided.
func (w *inboxWatch) siblings(ctx context.Context, entries []agent.InboxEntry, listed map[string]agent.InboxEntry) (out []present.Fragment) {
	if !w.whole {
		return nil
	}
	for id, e := range listed {
		isNews := slices.ContainsFunc(entries, func(n agent.InboxEntry) bool { return n.ID == id })
		if !isNews && e.Siblings >= agent.LooseCards {
			out = append(out, w.added(ctx, e)...)
		}
	}
	return out
}
