package store

import (
	"strconv"
	"strings"

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
	if !v.Role.Reviews() {
		w.and(`a.conversation_id IN (SELECT id FROM conversations WHERE owner_id = `, v.UserID, `)`)
	}
	return w
}

// filter adds what a filter names. Pending is written out: its index holds
// nothing else.
func (w *where) filter(f agent.ApprovalFilter) {
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
}
