package store

import (
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// recheckBudget lets approvals that wait for a budget be checked again, as if its window had ended.
func recheckBudget(t *sqlite.Tx, budgetID string) error {
	_, err := t.Exec(`UPDATE approvals SET refill_at = $1 WHERE status IN ('pending', 'expired') AND budget_id = $2`, sqlite.MS(t.Clock.Now()), budgetID)
	return err
}

// recheckAccount does so with the approvals of one account: what was added to one user's
// budget is not news to the others.
func recheckAccount(t *sqlite.Tx, a agent.BudgetAccount) error {
	subject, err := toJSON(a.Subject)
	if err != nil {
		return err
	}
	_, err = t.Exec(`UPDATE approvals SET refill_at = $1 WHERE status IN ('pending', 'expired') AND budget_id = $2
		AND ($3 = '""' OR evidence LIKE '%"subject":' || $3 || '%')`, sqlite.MS(t.Clock.Now()), a.BudgetID, subject)
	return err
}

// recheckUser does the same for the runs of a user who came into another group.
func recheckUser(t *sqlite.Tx, userID string) error {
	_, err := t.Exec(`UPDATE approvals SET refill_at = $1 WHERE status IN ('pending', 'expired') AND budget_id <> ''
		AND conversation_id IN (SELECT id FROM conversations WHERE owner_id = $2)`, sqlite.MS(t.Clock.Now()), userID)
	return err
}

// recheckPrices lets runs that were blocked by a missing price check whether
// there is one now; a moment later, so that the process has read it by then.
func recheckPrices(t *sqlite.Tx) error {
	_, err := t.Exec(`UPDATE approvals SET refill_at = $1 WHERE kind = 'budget' AND status IN ('pending', 'expired')
		AND evidence LIKE '%"unpriced":true%'`, sqlite.MS(t.Clock.Now().Add(priceDelay)))
	return err
}

const priceDelay = 2 * time.Second
