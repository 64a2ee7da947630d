package store

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"fusebox/agent"
)

// where is a condition that is put together from what was asked for, so that
// each question finds its index. Placeholders are numbered in order of use.
type where struct {
	text strings.Builder
	args []any
}

// and adds a condition; the value stands between before and after.
func (w *where) and(before string, value any, after string) {
	w.also(w.param(before, value) + after)
}

// also adds a condition without a value.
func (w *where) also(condition string) {
	if w.text.Len() > 0 {
		w.text.WriteString(" AND ")
	}
	w.text.WriteString(condition)
}

// param takes a value in and returns its placeholder behind some text.
func (w *where) param(before string, value any) string {
	w.args = append(w.args, value)
	return before + "$" + strconv.Itoa(len(w.args))
}

// String is the whole clause, "" without a condition.
func (w *where) String() string {
	if w.text.Len() == 0 {
		return ""
	}
	return "WHERE " + w.text.String()
}

// seenBy starts with what a viewer sees of approvals: his own conversations',
// or all of them for those who decide.
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
// Pending is written out: its index holds nothing else.
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

// forever is after every look.
var forever = time.UnixMilli(1 << 60)

// search looks for a text, in any letter case, in what an approval is about. It
// is put together first: one comparison is cheaper than four.
func (w *where) search(text string) {
	w.and(`LOWER(a.tool_name || ' ' || a.args || ' ' || a.message || ' ' ||
		(SELECT t.title FROM conversations t WHERE t.id = a.conversation_id)) LIKE `, containing(text), ` ESCAPE '!'`)
}
