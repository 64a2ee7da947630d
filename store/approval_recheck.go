package store

import (
	"time"

	"fusebox/agent"
)

// recheckBudget lets approvals that wait for a budget be checked again, as if its window had ended.
func recheckBudget(t *tx, budgetID string) error {
	_, err := t.exec(`UPDATE approvals SET refill_at = $1 WHERE status IN ('pending', 'expired') AND budget_id = $2`, ms(t.clock.Now()), budgetID)
	return err
}

// recheckAccount does so with the approvals of one account: what was added to one user's
// budget is not news to the others.
func recheckAccount(t *tx, a agent.BudgetAccount) error {
	subject, err := toJSON(a.Subject)
	if err != nil {
		return err
	}
	_, err = t.exec(`UPDATE approvals SET refill_at = $1 WHERE status IN ('pending', 'expired') AND budget_id = $2
		AND ($3 = '""' OR evidence LIKE '%"subject":' || $3 || '%')`, ms(t.clock.Now()), a.BudgetID, subject)
	return err
}

// recheckUser does the same for the runs of a user who came into another group.
func recheckUser(t *tx, userID string) error {
	_, err := t.exec(`UPDATE approvals SET refill_at = $1 WHERE status IN ('pending', 'expired') AND budget_id <> ''
		AND conversation_id IN (SELECT id FROM conversations WHERE owner_id = $2)`, ms(t.clock.Now()), userID)
	return err
}

// recheckPrices lets runs that were blocked by a missing price check whether
// there is one now; a moment later, so that the process has read it by then.
func recheckPrices(t *tx) error {
	_, err := t.exec(`UPDATE approvals SET refill_at = $1 WHERE kind = 'budget' AND status IN ('pending', 'expired')
		AND evidence LIKE '%"unpriced":true%'`, ms(t.clock.Now().Add(priceDelay)))
	return err
}

const priceDelay = 2 * time.Second
