package store

import (
	"context"
	"fmt"

	"fusebox/agent"
)

// Inbox lists approvals as one viewer sees them, and keeps who has looked at which.
type Inbox struct{ *core }

const (
	inboxColumns = approvalColumns + `, (SELECT COUNT(*) FROM approvals g WHERE g.run_id = a.run_id AND g.status = 'pending'), r.usage, r.cost_micros`
	inboxFrom    = approvalFrom + `JOIN runs r ON r.id = a.run_id `
)

// firstOfMany leaves out what stands behind the first of many approvals of one run.
var firstOfMany = fmt.Sprintf(`(NOT EXISTS (SELECT 1 FROM approvals g WHERE g.run_id = a.run_id AND g.status = 'pending' AND g.id < a.id)
	OR NOT EXISTS (SELECT 1 FROM approvals g WHERE g.run_id = a.run_id AND g.status = 'pending' LIMIT 1 OFFSET %d))`, agent.LooseCards)

func scanEntry(r scanner, more ...any) (agent.InboxEntry, error) {
	var e agent.InboxEntry
	var usage string
	var err error
	if e.Approval, err = scanApproval(beside{r, append([]any{&e.Siblings, &usage, &e.CostMicros}, more...)}); err != nil {
		return e, err
	}
	return e, fromJSON(usage, &e.Usage)
}

// Inbox lists what the viewer may see. What waits comes by risk, then by deadline;
// other lists come newest first.
func (s *Inbox) Inbox(ctx context.Context, v agent.Viewer, f agent.ApprovalFilter, p agent.Page) ([]agent.InboxEntry, string, error) {
	if f.Status != agent.ApprovalPending {
		return s.inboxByAge(ctx, v, f, p)
	}
	first := urgency{rank: -1}
	from, err := cursorOf(p, cursor{at: ms(s.clock.Now()), id: first.String()})
	if err == nil {
		err = checkFilter(f)
	}
	if err != nil {
		return nil, "", err
	}
	after, err := parseUrgency(from.id)
	if err != nil {
		return nil, "", err
	}
	limit := limitOf(p)
	items, err := s.entries(ctx, v, byUrgency, limit+1, func(w *where) {
		// What counts as unread is what was unread when the first page was made: reading
		// while paging leaves nothing out.
		if f.Unread {
			w.also(`NOT ` + w.lookedAt(v, fromMS(from.at)))
		}
		f.Unread = false
		w.filter(f, v)
		switch f.By {
		case agent.ByViewer:
			w.also(s.decidable(w, v))
		case agent.ByOthers:
			w.also(`NOT ` + s.decidable(w, v))
		}
		w.beyond(`>`, after)
	})
	if err != nil {
		return nil, "", err
	}
	items, next := page(items, limit, func(e agent.InboxEntry) cursor {
		return cursor{at: from.at, id: urgencyOf(e.Approval).String()}
	})
	return items, next, nil
}

// inboxByAge lists the newest first.
func (s *Inbox) inboxByAge(ctx context.Context, v agent.Viewer, f agent.ApprovalFilter, p agent.Page) ([]agent.InboxEntry, string, error) {
	from, err := cursorOf(p, newestFirst)
	if err == nil {
		err = checkFilter(f)
	}
	if err != nil {
		return nil, "", err
	}
	limit := limitOf(p)
	items, err := s.entries(ctx, v, ` ORDER BY a.id DESC`, limit+1, func(w *where) {
		w.filter(f, v)
		w.and(`a.id < `, from.id, ``)
	})
	if err != nil {
		return nil, "", err
	}
	items, next := page(items, limit, func(e agent.InboxEntry) cursor { return cursor{id: e.ID} })
	return items, next, nil
}

// entries lists what the viewer may see of what narrow leaves, with what is
// unread now and what they can decide.
func (s *Inbox) entries(ctx context.Context, v agent.Viewer, order string, limit int, narrow func(*where)) ([]agent.InboxEntry, error) {
	w := &where{}
	more := `a.status = 'pending' AND NOT ` + w.lookedAt(v, s.clock.Now()) + `, ` + s.decidable(w, v)
	w.seenBy(v)
	narrow(w)
	return list(ctx, s.read, func(r scanner) (agent.InboxEntry, error) {
		var unread, mine bool
		e, err := scanEntry(r, &unread, &mine)
		e.Unread, e.Mine = unread, mine
		return e, err
	}, `SELECT `+inboxColumns+`, `+more+inboxFrom+w.String()+order+w.param(` LIMIT `, limit), w.args...)
}

// InboxEntries are some approvals as the viewer finds them, oldest first; what
// they may not see is left out.
func (s *Inbox) InboxEntries(ctx context.Context, v agent.Viewer, ids []string) ([]agent.InboxEntry, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return s.entries(ctx, v, ` ORDER BY a.id`, len(ids), func(w *where) { w.among(`a.id`, ids) })
}

// CountPending counts what waits and the viewer can decide, besides one.
func (s *Inbox) CountPending(ctx context.Context, v agent.Viewer, besides string) (int, error) {
	w := s.forViewer(v)
	w.and(`a.id <> `, besides, ``)
	var n int
	err := s.read.QueryRowContext(ctx, `SELECT COUNT(*) FROM approvals a `+w.String(), w.args...).Scan(&n)
	return n, err
}

// forViewer is what waits and the viewer can decide.
func (s *Inbox) forViewer(v agent.Viewer) *where {
	w := seenBy(v)
	w.filter(agent.ApprovalFilter{Status: agent.ApprovalPending}, v)
	w.also(s.decidable(w, v))
	return w
}

// Waiting counts what waits and the viewer can decide, and returns the newest of it; many of
// one answer are one.
func (s *Inbox) Waiting(ctx context.Context, v agent.Viewer, newest int) (agent.Waiting, error) {
	var out agent.Waiting
	var err error
	if out.Pending, err = s.CountPending(ctx, v, ""); err != nil || out.Pending == 0 {
		return out, err
	}
	w := s.forViewer(v)
	w.also(`NOT ` + w.lookedAt(v, forever))
	query := `SELECT COUNT(*) FROM (SELECT a.id FROM approvals a ` + w.String() + w.param(` LIMIT `, agent.MaxUnread) + `) x`
	if err = s.read.QueryRowContext(ctx, query, w.args...).Scan(&out.Unread); err != nil {
		return out, err
	}
	out.Newest, err = s.entries(ctx, v, ` ORDER BY a.id DESC`, newest, func(w *where) {
		w.filter(agent.ApprovalFilter{Status: agent.ApprovalPending, Grouped: true}, v)
		w.also(s.decidable(w, v))
	})
	return out, err
}
