package store

import "fusebox/agent"

// standings are all budgets that a call counts for, as they stand before it settles.
func (s *Store) standings(t *tx, who spender, held agent.Reservation) ([]agent.Standing, error) {
	all := []agent.Standing{}
	for _, a := range held.Accounts {
		b, err := scanBudget(t.row(`SELECT `+budgetColumns+` FROM budgets WHERE id = $1`, a.BudgetID))
		if err != nil {
			return nil, err
		}
		st := agent.Standing{Budget: b, Of: a.Subject, StartsAt: a.StartsAt}
		_, st.EndsAt = b.Span.Window(a.StartsAt, s.zone())
		if _, err := readAccount(t, &st); err != nil {
			return nil, err
		}
		all = append(all, st)
	}
	return all, nil
}

// warn tells of the budgets that a settlement has brought to a share at which
// people are warned. Each share is told of once in a window.
func (s *Store) warn(t *tx, who spender, before []agent.Standing, tokens, micros int64) ([]agent.EventData, error) {
	own, err := ownBudgets(t, who.run)
	if err != nil {
		return nil, err
	}
	var told []agent.EventData
	for _, now := range own { // what comes with the run is read with the settlement in it
		was := now
		was.UsedTokens -= tokens
		was.UsedMicros -= micros
		event, err := s.tellShare(t, who, now, was.Percent())
		if err != nil {
			return nil, err
		}
		told = append(told, event...)
	}
	for _, now := range before {
		was := max(now.Percent(), now.Told)
		now.UsedTokens += tokens
		now.UsedMicros += micros
		event, err := s.tellShare(t, who, now, was)
		if err != nil {
			return nil, err
		}
		told = append(told, event...)
	}
	return told, nil
}

// tellShare tells of one budget, where its use has passed a share.
func (s *Store) tellShare(t *tx, who spender, now agent.Standing, was int64) ([]agent.EventData, error) {
	name := now.Of
	if now.Who != agent.WhoGroup {
		name = ""
	}
	if now.Who == agent.WhoUser {
		if err := t.row(`SELECT email FROM users WHERE id = $1`, now.Of).Scan(&name); err != nil {
			return nil, notFound(err, "There is no such user.")
		}
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
	return []agent.EventData{event}, nil
}
