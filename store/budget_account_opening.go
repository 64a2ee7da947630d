package store

import "fusebox/agent"

// takeIn counts the calls under way in an account that was opened after they had
// begun, because its budget is newer than they are: what they hold, they will take.
func (s *Store) takeIn(t *tx, st agent.Standing) (agent.Standing, error) {
	open, err := openCalls(t)
	if err != nil {
		return st, err
	}
	for _, c := range open {
		start, _ := st.Span.Window(c.held.At, s.zone())
		if c.subjectOf(st.Who) != st.Of || !start.Equal(st.StartsAt) {
			continue
		}
		account := []agent.BudgetAccount{{BudgetID: st.ID, Subject: st.Of, StartsAt: st.StartsAt}}
		c.held.Accounts = append(c.held.Accounts, account...)
		if err := putReservation(t, c.held, 0); err != nil {
			return st, err
		}
		if err := book(t, account, c.held.Tokens, c.held.Micros, 0, 0); err != nil {
			return st, err
		}
		st.ReservedTokens += c.held.Tokens
		st.ReservedMicros += c.held.Micros
	}
	return st, nil
}

// heldCall is a reservation with whose it is.
type heldCall struct {
	spender
	held agent.Reservation
}

func openCalls(t *tx) ([]heldCall, error) {
	var all []heldCall
	err := eachOf(t, func(r scanner) error {
		var c heldCall
		var err error
		c.held, err = scanReservation(withExtra{withExtra{r, &c.run.UserID}, &c.run.ConversationID})
		c.run.ID, c.group = c.held.RunID, c.held.GroupName
		all = append(all, c)
		return err
	}, `SELECT v.id, v.run_id, v.step, v.kind, v.tokens, v.micros, v.accounts, v.at, v.group_name, r.conversation_id, r.user_id
		FROM reservations v JOIN runs r ON r.id = v.run_id ORDER BY v.run_id`)
	return all, err
}
