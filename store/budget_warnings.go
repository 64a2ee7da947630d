package store

import "fusebox/agent"

// warn tells of the budgets that a settlement has brought to a share at which
// people are warned. Each share is told of once in a window. shared are the
// admins' budgets as they stood before it.
func (s *Store) warn(t *tx, who spender, shared []agent.Standing, step agent.Step) ([]agent.EventData, error) {
	own, err := ownBudgets(t, who.run) // with the settlement in them
	if err != nil {
		return nil, err
	}
	for i := range own {
		own[i].UsedTokens -= step.Usage.Total()
		own[i].UsedMicros -= step.CostMicros
	}
	var told []agent.EventData
	for _, b := range append(own, shared...) {
		was := b.Told // also what a lower limit, or a budget that came late, has passed by itself
		if !b.Shared() {
			was = b.Percent()
		}
		b.UsedTokens += step.Usage.Total()
		b.UsedMicros += step.CostMicros
		event, err := s.tellShare(t, b, was)
		if err != nil {
			return nil, err
		}
		told = append(told, event...)
	}
	return told, nil
}

// tellShare tells of one budget, where its use has passed a share.
func (s *Store) tellShare(t *tx, now agent.Standing, was int64) ([]agent.EventData, error) {
	name, err := subjectName(t, now)
	if err != nil {
		return nil, err
	}
	event, share, crossed := now.WarningOf(was, name)
	if !crossed {
		return nil, nil
	}
	if now.Shared() {
		_, err := t.exec(`UPDATE budget_accounts SET told = $1 WHERE budget_id = $2 AND subject = $3 AND starts_at = $4`,
			share, now.ID, now.Of, ms(now.StartsAt))
		if err != nil {
			return nil, err
		}
	}
	return []agent.EventData{event}, s.raiseAlert(t, agent.NewBudgetAlert(now, share, name, s.clock.Now()))
}

// subjectName is whom a budget counts for, as people know him.
func subjectName(t *tx, s agent.Standing) (string, error) {
	switch s.Who {
	case agent.WhoGroup:
		return s.Of, nil
	case agent.WhoUser:
		var email string
		err := t.row(`SELECT email FROM users WHERE id = $1`, s.Of).Scan(&email)
		return email, notFound(err, "There is no such account.")
	default:
		return "", nil
	}
}
