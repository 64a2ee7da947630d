package store

import (
	"fusebox/agent"
	"fusebox/store/sqlite"
)

// warnShared tells of the admins' budgets that a settlement has brought to a share
// at which people are warned. Each share is reported once in a window. budgets are
// as they stood before it.
func (c *core) warnShared(t *sqlite.Tx, budgets []agent.BudgetStatus, tokens, micros int64) ([]agent.EventData, error) {
	var told []agent.EventData
	for _, b := range budgets {
		was := b.Told // also what a lower limit, or a later budget, has already passed
		if !b.Shared() {
			was = b.Percent()
		}
		b.UsedTokens += tokens
		b.UsedMicros += micros
		event, err := c.tellShare(t, b, was)
		if err != nil {
			return nil, err
		}
		told = append(told, event...)
	}
	return told, nil
}

// warnOwn is warnShared for the budgets that come with a run. Its row has what was
// settled in it by now.
func (c *core) warnOwn(t *sqlite.Tx, who spender, tokens, micros int64) ([]agent.EventData, error) {
	own, err := ownBudgets(t, who.run)
	for i := range own {
		own[i].UsedTokens -= tokens
		own[i].UsedMicros -= micros
	}
	if err != nil {
		return nil, err
	}
	return c.warnShared(t, own, tokens, micros)
}

// tellShare tells of one budget, where its use has passed a share.
func (c *core) tellShare(t *sqlite.Tx, now agent.BudgetStatus, was int64) ([]agent.EventData, error) {
	name, err := subjectName(t, now)
	if err != nil {
		return nil, err
	}
	event, share, crossed := now.WarningOf(was, name)
	if !crossed {
		return nil, nil
	}
	if now.Shared() {
		_, err := t.Exec(`UPDATE budget_accounts SET told = $1 WHERE budget_id = $2 AND subject = $3 AND starts_at = $4`,
			share, now.ID, now.Of, sqlite.MS(now.StartsAt))
		if err != nil {
			return nil, err
		}
	}
	return []agent.EventData{event}, c.raiseAlert(t, agent.NewBudgetAlert(now, share, name, t.Clock.Now()))
}

// subjectName is the readable name of a budget's subject.
func subjectName(t *sqlite.Tx, s agent.BudgetStatus) (string, error) {
	switch s.Who {
	case agent.WhoGroup:
		return s.Of, nil
	case agent.WhoUser:
		var email string
		err := t.Row(`SELECT email FROM users WHERE id = $1`, s.Of).Scan(&email)
		return email, sqlite.NotFound(err, "There is no such account.")
	default:
		return "", nil
	}
}
