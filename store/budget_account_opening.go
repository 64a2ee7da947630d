package store

import (
	"fmt"
	"time"

	"fusebox/agent"
)

// sharedBudgets are the admins' budgets that a call counts for, with their
// accounts in the windows of an instant. Accounts that are missing are opened.
func sharedBudgets(t *tx, who spender, at time.Time) ([]agent.BudgetStatus, error) {
	var rules []agent.Budget
	err := t.each(func(r scanner) error {
		b, err := scanBudget(r)
		rules = append(rules, b)
		return err
	}, `SELECT `+budgetColumns+` FROM budgets WHERE ended_at = 0 AND (who IN ('run', 'conversation', 'everybody')
		OR (who = 'user' AND subject IN ('', $1)) OR (who = 'group' AND subject = $2 AND $2 <> '')) ORDER BY id`,
		who.run.UserID, who.group)
	if err != nil {
		return nil, err
	}
	all := make([]agent.BudgetStatus, len(rules))
	for i, b := range rules {
		if all[i], err = standingAt(t, b, who, at); err != nil {
			return nil, fmt.Errorf("account of budget %s: %w", b.ID, err)
		}
	}
	return all, nil
}

// standingAt returns a budget's status in the window of an instant. One that is
// not there is opened with what was used in the window before, and with what
// calls in progress have reserved.
func standingAt(t *tx, b agent.Budget, who spender, at time.Time) (agent.BudgetStatus, error) {
	start, end := b.Span.Window(at, t.zone)
	st := agent.BudgetStatus{Budget: b, Of: who.subjectOf(b.Who), StartsAt: start, EndsAt: end}
	found, err := readAccount(t, &st)
	if found || err != nil {
		return st, err
	}
	if st.UsedTokens, st.UsedMicros, err = usedWithin(t, b.Who, st.Of, start, end); err != nil {
		return st, err
	}
	_, err = t.exec(`INSERT INTO budget_accounts (budget_id, subject, starts_at, opening_tokens, opening_micros) VALUES ($1, $2, $3, $4, $5)`,
		b.ID, st.Of, ms(start), st.UsedTokens, st.UsedMicros)
	if err != nil {
		return st, err
	}
	return takeIn(t, st)
}

// takeIn counts the calls under way in an account that was opened after they had
// begun, because its budget is newer than they are: what they reserved, they will use.
func takeIn(t *tx, st agent.BudgetStatus) (agent.BudgetStatus, error) {
	open, err := openCalls(t)
	if err != nil {
		return st, err
	}
	for _, c := range open {
		start, _ := st.Span.Window(c.held.At, t.zone)
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
	held agent.OpenReservation
}

func openCalls(t *tx) ([]heldCall, error) {
	var all []heldCall
	err := t.each(func(r scanner) error {
		var c heldCall
		var err error
		c.held, err = scanReservation(beside{r, []any{&c.run.ConversationID, &c.run.UserID}})
		c.run.ID, c.group = c.held.RunID, c.held.GroupName
		all = append(all, c)
		return err
	}, `SELECT v.id, v.run_id, v.step, v.kind, v.tokens, v.micros, v.accounts, v.at, v.group_name, r.conversation_id, r.user_id
		FROM reservations v JOIN runs r ON r.id = v.run_id ORDER BY v.run_id`)
	return all, err
}
