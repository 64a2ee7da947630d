package live

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/part"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/request"
)

// inboxWatch keeps one open page of a reviewer right.
type inboxWatch struct {
	s *Inbox
	v agent.Viewer
	// rows are the approvals that the page shows, whole says that these are all
	// that waited; approval is the one that the page is about. aside says of each
	// row whether it stands among what waits for others.
	rows     []string
	aside    map[string]bool
	whole    bool
	approval string
	// version is that of the approval that the page shows.
	version int
	// looking says who is looking, by approval.
	looking map[string]watcher
	// unseen is how many alerts the bell counts.
	unseen int
}

func (s *Inbox) watchOf(c echo.Context) *inboxWatch {
	w := &inboxWatch{
		s: s, v: request.Viewer(c), whole: c.QueryParam("whole") == "true", approval: c.QueryParam("approval"), looking: map[string]watcher{}, aside: map[string]bool{},
	}
	w.version, _ = strconv.Atoi(c.QueryParam("version")) // what is none is the first one
	for _, list := range []string{"rows", "others"} {
		ids := strings.FieldsFunc(c.QueryParam(list), func(r rune) bool { return r == ',' })
		for _, id := range ids[:min(len(ids), inboxPage-len(w.rows))] {
			w.rows, w.aside[id] = append(w.rows, id), list == "others"
		}
	}
	return w
}

// follow subscribes first and then brings the page up to date: what comes in
// between is sent twice rather than not at all.
func (w *inboxWatch) follow(ctx context.Context, send sender) error {
	sub := w.s.Hub.SubscribeApprovals()
	defer sub.Close()
	hint, leave := w.s.Presence.join()
	defer leave()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	out, err := w.start(ctx)
	for {
		if err == nil && len(out) > 0 {
			err = send(htmlBatch{Fragments: out})
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-sub.C:
			events, open := sub.Take() // many decisions at once are one change of the page
			if !open {
				return errFellBehind
			}
			out, err = w.news(ctx, events)
		case <-hint:
			out, err = w.looks(ctx)
		case <-tick.C:
			out, err = w.ticked(ctx)
		}
	}
}

// start brings a page up to date with what happened while no socket was open.
func (w *inboxWatch) start(ctx context.Context) ([]present.Fragment, error) {
	var err error
	if w.looking, err = w.s.Presence.Watchers(ctx, w.v, nil); err != nil {
		return nil, err
	}
	known, err := w.s.Store.InboxEntries(ctx, w.v, w.rows)
	if err != nil {
		return nil, err
	}
	var out []present.Fragment
	for _, e := range known {
		out = append(out, w.again(ctx, e)...)
	}
	if w.whole {
		fresh, _, err := w.s.Store.Inbox(ctx, w.v, agent.ApprovalFilter{Status: agent.ApprovalPending, Grouped: true}, agent.Page{Limit: inboxPage})
		if err != nil {
			return nil, err
		}
		for _, e := range fresh {
			if !slices.Contains(w.rows, e.ID) {
				out = append(out, w.added(ctx, e)...)
			}
		}
	}
	if w.approval != "" {
		out = append(out, rendered(ctx, present.OpReplace, "looking", page.Looking(w.looking[w.approval].Text(ctx))))
		if out, err = w.card(ctx, out, w.approval); err != nil {
			return nil, err
		}
	}
	return w.counted(ctx, out)
}

// news is what events about approvals change on the page.
func (w *inboxWatch) news(ctx context.Context, events []agent.Event) ([]present.Fragment, error) {
	entries, err := w.s.Store.InboxEntries(ctx, w.v, approvalsOf(events))
	if err != nil {
		return nil, err
	}
	listed, err := w.listed(ctx, entries)
	if err != nil {
		return nil, err
	}
	out := w.siblings(ctx, entries, listed)
	for _, e := range w.s.Visibility.Entries(w.v, entries) {
		if _, shown := listed[e.ID]; shown || e.Status != agent.ApprovalPending {
			out = append(out, w.changed(ctx, e)...)
		}
		if out, err = w.card(ctx, out, e.ID); err != nil {
			return nil, err
		}
	}
	return w.counted(ctx, out)
}

// card brings the card up to date that has the page to itself, once it is not
// the one any more that the page was made of.
func (w *inboxWatch) card(ctx context.Context, out []present.Fragment, id string) ([]present.Fragment, error) {
	if id == "" || id != w.approval {
		return out, nil
	}
	a, err := w.s.Store.Approval(ctx, w.v, id)
	if err != nil || a.Version == w.version {
		return out, err
	}
	w.version = a.Version
	props, err := w.s.Cards.Alone(ctx, w.v, *a, Typed{})
	if err != nil {
		return nil, err
	}
	return append(out, rendered(ctx, present.OpReplace, present.CardID(id), part.ApprovalCard(props))), nil
}

// looks is what has changed about who is looking.
func (w *inboxWatch) looks(ctx context.Context) ([]present.Fragment, error) {
	now, err := w.s.Presence.Watchers(ctx, w.v, nil)
	if err != nil {
		return nil, err
	}
	var ids []string
	read := false
	known := maps.Clone(now)
	maps.Copy(known, w.looking)
	for id := range known {
		is, was := now[id], w.looking[id]
		if is.self == was.self && slices.Equal(is.others, was.others) {
			continue
		}
		read = read || is.self != was.self
		ids = append(ids, id)
	}
	w.looking = now
	if len(ids) == 0 {
		return nil, nil
	}
	entries, err := w.s.Store.InboxEntries(ctx, w.v, ids)
	if err != nil {
		return nil, err
	}
	var out []present.Fragment
	for _, e := range entries {
		out = append(out, w.row(ctx, e))
	}
	if slices.Contains(ids, w.approval) {
		out = append(out, rendered(ctx, present.OpReplace, "looking", page.Looking(now[w.approval].Text(ctx))))
	}
	if !read {
		return out, nil
	}
	return w.counted(ctx, out)
}

// counted adds the numbers of what waits: the count beside the inbox link, and the bell in both of its places.
func (w *inboxWatch) counted(ctx context.Context, out []present.Fragment) ([]present.Fragment, error) {
	rings, err := w.s.Bell.Ringing(ctx, w.v)
	if err != nil {
		return nil, err
	}
	w.unseen = rings.Unseen
	out = append(out, rendered(ctx, present.OpReplace, "pending-count", part.PendingCount(rings.Pending)))
	for _, id := range part.Bells {
		out = append(out, rendered(ctx, present.OpReplace, id, part.BellMenu(id, BellProps(text.In(ctx), rings))))
	}
	return out, nil
}

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
