package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fusebox/agent"
	"fusebox/store/readable"
	"fusebox/store/sqlite"
)

// Inbox lists approvals as one viewer sees them, and keeps who has looked at which.
type Inbox struct{ *core }

const inboxFrom = approvalFrom + `JOIN runs r ON r.id = a.run_id `

// alike are those of one answer that wait for the same side as a, the viewer or others.
func (s *Inbox) alike(w *where, v agent.Viewer) string {
	return `FROM approvals g WHERE g.run_id = a.run_id AND g.status = 'pending' AND ` + s.decidable(w, v, "g") + ` = ` + s.decidable(w, v, "a")
}

// Inbox lists what the viewer may see. What waits comes by risk, then by deadline;
// other lists come newest first.
func (s *Inbox) Inbox(ctx context.Context, v agent.Viewer, f agent.ApprovalFilter, p agent.Page) ([]agent.InboxEntry, string, error) {
	if f.Status != agent.ApprovalPending {
		return s.inboxByAge(ctx, v, f, p)
	}
	first := urgency{rank: -1}
	from, err := cursorOf(p, cursor{at: sqlite.MS(s.clock.Now()), id: first.String()})
	if err == nil {
		err = checkSearch(f.Search)
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
			w.Also(`NOT ` + w.lookedAt(v, sqlite.FromMS(from.at)))
		}
		f.Unread = false
		s.narrow(w, v, f)
		w.beyond(`>`, after)
	})
	return page(items, err, limit, func(e agent.InboxEntry) cursor {
		return cursor{at: from.at, id: urgencyOf(e.Approval).String()}
	})
}

// narrow adds a filter of what waits.
func (s *Inbox) narrow(w *where, v agent.Viewer, f agent.ApprovalFilter) {
	w.filter(f, v)
	if f.Grouped { // without what stands behind the first of many that are alike
		alike := s.alike(w, v)
		w.Also(fmt.Sprintf(`(NOT EXISTS (SELECT 1 %s AND g.id < a.id) OR NOT EXISTS (SELECT 1 %s LIMIT 1 OFFSET %d))`, alike, alike,
			agent.LooseCards))
	}
	switch f.By {
	case agent.ByViewer:
		w.Also(s.decidable(w, v, "a"))
	case agent.ByOthers:
		w.Also(`NOT ` + s.decidable(w, v, "a"))
	}
}

// inboxByAge lists the newest first.
func (s *Inbox) inboxByAge(ctx context.Context, v agent.Viewer, f agent.ApprovalFilter, p agent.Page) ([]agent.InboxEntry, string, error) {
	from, err := cursorOf(p, newestFirst)
	if err == nil {
		err = checkSearch(f.Search)
	}
	if err != nil {
		return nil, "", err
	}
	limit := limitOf(p)
	items, err := s.entries(ctx, v, ` ORDER BY a.id DESC`, limit+1, func(w *where) {
		w.filter(f, v)
		w.And(`a.id < `, from.id, ``)
	})
	return page(items, err, limit, func(e agent.InboxEntry) cursor { return cursor{id: e.ID} })
}

// entries lists what the viewer may see of what narrow leaves, with what is
// unread now and what they can decide.
func (s *Inbox) entries(ctx context.Context, v agent.Viewer, order string, limit int, narrow func(*where)) ([]agent.InboxEntry, error) {
	w := &where{}
	columns := s.entryColumns(w, v)
	w.seenBy(v)
	narrow(w)
	items, err := sqlite.List(ctx, s.db, func(r sqlite.Scanner) (e agent.InboxEntry, err error) {
		var usage string
		if e.Approval, err = scanApproval(beside{r, []any{&e.Siblings, &usage, &e.CostMicros, &e.Unread, &e.Mine}}); err != nil {
			return e, err
		}
		err = fromJSON(usage, &e.Usage)
		return e, err
	}, `SELECT `+columns+inboxFrom+w.String()+order+w.Param(` LIMIT `, limit), w.Args...)
	for i := range items {
		err = errors.Join(err, readable.Approval(ctx, s.db, &items[i].Approval))
	}
	return items, err
}

// entryColumns are those of an entry: the approval's own and those that entries adds.
func (s *Inbox) entryColumns(w *where, v agent.Viewer) string {
	return approvalColumns + `, (SELECT COUNT(*) ` + s.alike(w, v) + `), r.usage, r.cost_micros,
		a.status = 'pending' AND NOT ` + w.lookedAt(v, s.clock.Now()) + `, ` + s.decidable(w, v, "a")
}

// InboxEntries are some approvals as the viewer finds them, oldest first; what
// they may not see is left out.
func (s *Inbox) InboxEntries(ctx context.Context, v agent.Viewer, ids []string) ([]agent.InboxEntry, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return s.entries(ctx, v, ` ORDER BY a.id`, len(ids), func(w *where) { w.Among(`a.id`, ids) })
}

// CountPending counts the pending approvals that the viewer can decide, without one of them.
func (s *Inbox) CountPending(ctx context.Context, v agent.Viewer, besides string) (int, error) {
	w := s.forViewer(v, agent.ApprovalFilter{})
	w.And(`a.id <> `, besides, ``)
	var n int
	err := s.db.QueryRowContext(ctx, `SELECT COUNT(*) FROM approvals a `+w.String(), w.Args...).Scan(&n)
	return n, err
}

// forViewer narrows a filter to the pending approvals that the viewer can decide.
func (s *Inbox) forViewer(v agent.Viewer, f agent.ApprovalFilter) *where {
	w := seenBy(v)
	f.Status, f.By = agent.ApprovalPending, agent.ByViewer
	s.narrow(w, v, f)
	return w
}

// Waiting counts the pending approvals that the viewer can decide, and returns the newest of
// them; many of one answer are one.
func (s *Inbox) Waiting(ctx context.Context, v agent.Viewer, newest int) (agent.Waiting, error) {
	var out agent.Waiting
	var err error
	if out.Pending, err = s.CountPending(ctx, v, ""); err != nil || out.Pending == 0 {
		return out, err
	}
	w := s.forViewer(v, agent.ApprovalFilter{Unread: true})
	query := `SELECT COUNT(*) FROM (SELECT a.id FROM approvals a ` + w.String() + w.Param(` LIMIT `, agent.MaxUnread) + `) x`
	if err = s.db.QueryRowContext(ctx, query, w.Args...).Scan(&out.Unread); err != nil {
		return out, err
	}
	out.Newest, err = s.entries(ctx, v, ` ORDER BY a.id DESC`, newest, func(w *where) {
		s.narrow(w, v, agent.ApprovalFilter{Status: agent.ApprovalPending, Grouped: true, By: agent.ByViewer})
	})
	return out, err
}

// decidable is true for what waits that the viewer can decide, by the rules of
// service.Approvals.Decide; all else they see waits for others. Not theirs are budgets that only an
// admin can raise, and what they have approved or edited while somebody else can approve it.
// a is the name of the table of approvals.
func (c *core) decidable(w *where, v agent.Viewer, a string) string {
	own := w.Param(`a.user_id = `, v.UserID)
	rule := own + ` AND a.kind = 'question'`
	switch {
	case v.Role.Reviews():
		theirs := `TRUE`
		if c.fourEyes {
			theirs = `NOT ` + own
		}
		if v.Role != agent.RoleAdmin {
			theirs += ` AND a.budget_id = ''`
		}
		rule = `CASE WHEN a.kind = 'question' THEN ` + own + ` ELSE ` + theirs + ` AND NOT ` + c.leftToOthers(w, v) + ` END`
	case c.ownerMayConfirm && !c.fourEyes:
		rule = own + ` AND (a.kind = 'question' OR a.risk IN ('low', 'medium') AND a.kind <> 'budget' AND NOT ` + c.leftToOthers(w, v) + `)`
	}
	return strings.ReplaceAll(`(a.status = 'pending' AND `+rule+`)`, `a.`, a+`.`)
}

// leftToOthers is true for what the viewer has approved or edited while somebody else can
// approve it.
func (c *core) leftToOthers(w *where, v agent.Viewer) string {
	me := w.Param(``, v.Email)
	another := `d.role IN ('reviewer', 'admin') AND NOT d.disabled AND d.email <> ` + me + ` AND d.email <> a.author`
	if c.fourEyes {
		another += ` AND d.id <> a.user_id`
	}
	voted := w.Param(`a.votes LIKE `, containing(`"by":`+string(agent.MustJSON(v.Email)))) + ` ESCAPE '!'`
	return `((a.author = ` + me + ` OR ` + voted + `) AND EXISTS (SELECT 1 FROM users d WHERE ` + another + `))`
}

// Neighbours are the pending approvals before and after a that the viewer can decide, in the
// order of the inbox. After the last comes the first; "" where there is none.
func (s *Inbox) Neighbours(ctx context.Context, v agent.Viewer, a agent.Approval) (previous, next string, err error) {
	at := urgencyOf(a)
	if next, err = s.neighbour(ctx, v, byUrgency, func(w *where) { w.beyond(`>`, at) }); err != nil {
		return "", "", err
	}
	if previous, err = s.neighbour(ctx, v, leastUrgent, func(w *where) { w.beyond(`<`, at) }); err != nil || next != "" || previous == "" {
		return previous, next, err
	}
	next, err = s.neighbour(ctx, v, byUrgency, func(w *where) { w.And(`a.id <> `, a.ID, ``) })
	return previous, next, err
}

// neighbour is the first of what narrow leaves, "" for none.
func (s *Inbox) neighbour(ctx context.Context, v agent.Viewer, order string, narrow func(*where)) (id string, err error) {
	w := s.forViewer(v, agent.ApprovalFilter{})
	narrow(w)
	err = s.db.QueryRowContext(ctx, `SELECT a.id`+approvalFrom+w.String()+order+` LIMIT 1`, w.Args...).Scan(&id)
	return id, sqlite.OrNone(err)
}

// The order of what waits, as the index approvals_urgent has it.
const (
	rank     = `(CASE a.risk WHEN 'critical' THEN 0 WHEN 'high' THEN 1 WHEN 'medium' THEN 2 ELSE 3 END)`
	deadline = `(CASE a.expires_at WHEN 0 THEN 9007199254740991 ELSE a.expires_at END)`

	byUrgency    = ` ORDER BY ` + rank + `, ` + deadline + `, a.id`
	leastUrgent  = ` ORDER BY ` + rank + ` DESC, ` + deadline + ` DESC, a.id DESC`
	noDeadline   = 9007199254740991
	urgentFields = 3
)

// urgency is the place of an approval in the list of what waits: the highest risk first,
// then the nearest deadline.
type urgency struct {
	rank, deadline int64
	id             string
}

func urgencyOf(a agent.Approval) urgency {
	ranks := []agent.Risk{agent.RiskCritical, agent.RiskHigh, agent.RiskMedium}
	at := slices.Index(ranks, a.Risk)
	if at < 0 {
		at = len(ranks)
	}
	return urgency{rank: int64(at), deadline: cmp.Or(sqlite.MS(a.ExpiresAt), noDeadline), id: a.ID}
}

func (u urgency) String() string { return fmt.Sprintf("%d.%d.%s", u.rank, u.deadline, u.id) }

// parseUrgency reads a place from a cursor.
func parseUrgency(s string) (urgency, error) {
	parts := strings.SplitN(s, ".", urgentFields)
	if len(parts) != urgentFields {
		return urgency{}, badCursor()
	}
	r, rankErr := strconv.ParseInt(parts[0], 10, 64)
	d, deadlineErr := strconv.ParseInt(parts[1], 10, 64)
	if rankErr != nil || deadlineErr != nil {
		return urgency{}, badCursor()
	}
	return urgency{r, d, parts[2]}, nil
}

// beyond keeps what comes after (">") or before ("<") a place.
func (w *where) beyond(side string, u urgency) {
	w.Also(`(` + rank + `, ` + deadline + `, a.id) ` + side + ` (` + w.Param(``, u.rank) + `, ` + w.Param(``, u.deadline) + `, ` + w.Param(``, u.id) + `)`)
}
