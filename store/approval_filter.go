package store

import (
	"time"
	"unicode/utf8"

	"fusebox/agent"
)

// seenBy starts with the approvals a viewer sees: those of their own conversations,
// or all of them for people who decide.
func seenBy(v agent.Viewer) *where {
	w := &where{}
	w.seenBy(v)
	return w
}

func (w *where) seenBy(v agent.Viewer) {
	if !v.Role.Reviews() {
		w.and(`a.conversation_id IN (SELECT id FROM conversations WHERE owner_id = `, v.UserID, `)`)
	}
}

// filter adds what a filter names; unread is what the viewer has not looked at.
// Pending is written out: its index covers nothing else.
func (w *where) filter(f agent.ApprovalFilter, v agent.Viewer) {
	switch f.Status {
	case "":
	case agent.ApprovalPending:
		w.also(`a.status = 'pending'`)
	default:
		w.and(`a.status = `, f.Status, ``)
	}
	if f.Kind != "" {
		w.and(`a.kind = `, f.Kind, ``)
	}
	if f.Risk != "" {
		w.and(`a.risk = `, f.Risk, ``)
	}
	if f.RunID != "" {
		w.and(`a.run_id = `, f.RunID, ``)
	}
	if f.Tool != "" {
		w.and(`a.tool_name = `, f.Tool, ``)
	}
	if !f.OlderThan.IsZero() {
		w.and(`a.requested_at < `, ms(f.OlderThan), ``)
	}
	if f.Search != "" {
		w.search(f.Search)
	}
	if f.Unread {
		w.also(`NOT ` + w.lookedAt(v, forever))
	}
}

// checkFilter bounds what a filter makes the database do.
func checkFilter(f agent.ApprovalFilter) error {
	if utf8.RuneCountInString(f.Search) > maxSearch {
		return agent.InvalidField("search", "is too long; at most %d characters are allowed", maxSearch)
	}
	return nil
}

// search looks for a text, ignoring case, in what an approval is about. It
// is put together first: one comparison is cheaper than four.
func (w *where) search(text string) {
	w.and(`LOWER(a.tool_name || ' ' || a.args || ' ' || a.message || ' ' ||
		(SELECT t.title FROM conversations t WHERE t.id = a.conversation_id)) LIKE `, containing(text), ` ESCAPE '!'`)
}

// lookedAt is true for what a viewer has looked at since it was asked, before a time.
func (w *where) lookedAt(v agent.Viewer, before time.Time) string {
	return `EXISTS (SELECT 1 FROM approval_looks l WHERE l.approval_id = a.id AND l.user_id = ` + w.param(``, v.UserID) +
		` AND l.first_at >= a.requested_at AND l.first_at < ` + w.param(``, ms(before)) + `)`
}
