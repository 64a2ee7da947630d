package store

import (
	"fusebox/agent"
)

// decidable is true for what waits that the viewer can decide, by the rules of
// service.Runs.Decide: all else that they see waits for others. Budgets that they can only
// keep as they are, and what they have approved or edited themselves, are not theirs.
func (c *core) decidable(w *where, v agent.Viewer) string {
	own := w.param(`a.user_id = `, v.UserID)
	theirs := `FALSE`
	switch {
	case v.Role.Reviews():
		theirs = `TRUE`
		if c.fourEyes {
			theirs = `NOT ` + own
		}
		if v.Role != agent.RoleAdmin {
			theirs += ` AND a.budget_id = ''`
		}
	case c.ownerMayConfirm && !c.fourEyes:
		theirs = own + ` AND a.risk IN ('low', 'medium') AND a.kind <> 'budget'`
	}
	return `(a.status = 'pending' AND CASE WHEN a.kind = 'question' THEN ` + own + ` ELSE ` + theirs + ` AND NOT ` + c.leftToOthers(w, v) + ` END)`
}

// leftToOthers is true for what the viewer has approved or edited while somebody else can
// approve it.
func (c *core) leftToOthers(w *where, v agent.Viewer) string {
	me := w.param(``, v.Email)
	another := `d.role IN ('reviewer', 'admin') AND NOT d.disabled AND d.email <> ` + me + ` AND d.email <> a.author`
	if c.fourEyes {
		another += ` AND d.id <> a.user_id`
	}
	voted := w.param(`a.votes LIKE `, containing(`"by":`+string(agent.MustJSON(v.Email)))) + ` ESCAPE '!'`
	return `((a.author = ` + me + ` OR ` + voted + `) AND EXISTS (SELECT 1 FROM users d WHERE ` + another + `))`
}
