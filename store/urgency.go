package store

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

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
	w.also(`(` + rank + `, ` + deadline + `, a.id) ` + side + ` (` + w.param(``, u.rank) + `, ` + w.param(``, u.deadline) + `, ` + w.param(``, u.id) + `)`)
}
