package store

import (
	"database/sql"
	"errors"
	"time"

	"fusebox/agent"
)

// spender is whose spending a model call is.
type spender struct {
	run   agent.Run
	group string
}

// spenderOf reads a run's figures and limits, and its user's group.
func spenderOf(t *tx, runID string) (spender, error) {
	var s spender
	var usage, limits string
	err := t.row(`SELECT r.id, r.epoch, r.status, r.conversation_id, r.user_id, r.usage, r.cost_micros, r.limits, COALESCE(u.group_name, '')
		FROM runs r LEFT JOIN users u ON u.id = r.user_id WHERE r.id = $1`, runID).
		Scan(&s.run.ID, &s.run.Epoch, &s.run.Status, &s.run.ConversationID, &s.run.UserID, &usage, &s.run.CostMicros, &limits, &s.group)
	if err != nil {
		return s, notFound(err, noRun)
	}
	return s, errors.Join(fromJSON(usage, &s.run.Usage), fromJSON(limits, &s.run.Limits))
}

// ownBudgets are those that come with the run.
func ownBudgets(t *tx, r agent.Run) ([]agent.BudgetStatus, error) {
	var conversation int64
	if r.Limits.ConversationTokens > 0 {
		err := t.row(`SELECT COALESCE(SUM(input_tokens + output_tokens), 0) FROM usage WHERE conversation_id = $1`, r.ConversationID).Scan(&conversation)
		if err != nil {
			return nil, err
		}
	}
	return agent.OwnBudgets(r, conversation), nil
}

// subjectOf is the subject that a call counts for in a budget.
func (w spender) subjectOf(who agent.BudgetWho) string {
	switch who {
	case agent.WhoRun:
		return w.run.ID
	case agent.WhoConversation:
		return w.run.ConversationID
	case agent.WhoUser:
		return w.run.UserID
	case agent.WhoGroup:
		return w.group
	default:
		return ""
	}
}

func readAccount(t *tx, st *agent.BudgetStatus) (found bool, err error) {
	err = t.row(`SELECT opening_tokens + used_tokens, opening_micros + used_micros, reserved_tokens, reserved_micros,
		raised_tokens, raised_micros, told FROM budget_accounts WHERE budget_id = $1 AND subject = $2 AND starts_at = $3`,
		st.ID, st.Of, ms(st.StartsAt)).Scan(&st.UsedTokens, &st.UsedMicros, &st.ReservedTokens, &st.ReservedMicros,
		&st.RaisedTokens, &st.RaisedMicros, &st.Told)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// usedBy are the lines of the bill that count for a budget.
var usedBy = map[agent.BudgetWho]string{
	agent.WhoRun: `run_id = $1`, agent.WhoConversation: `conversation_id = $1`, agent.WhoUser: `user_id = $1`,
	agent.WhoGroup: `group_name = $1 AND group_name <> ''`, agent.WhoEverybody: `'' = $1`,
}

// sumWithin sums the lines of calls that began in a window. A line is written when
// its call has ended, so that none that ended before can have begun in it. A call
// of the next window may have ended by the time that the last one of this window
// opens the account.
func sumWithin(who agent.BudgetWho) string {
	return `SELECT COALESCE(SUM(input_tokens + output_tokens), 0), COALESCE(SUM(cost_micros), 0) FROM usage
		WHERE ` + usedBy[who] + ` AND ended_at >= $2 AND started_at >= $2 AND started_at < $3`
}

// orForever is the end of a window that may have none.
func orForever(end time.Time) time.Time {
	if end.IsZero() {
		return forever
	}
	return end
}

func usedWithin(t *tx, who agent.BudgetWho, subject string, start, end time.Time) (tokens, micros int64, err error) {
	err = t.row(sumWithin(who), subject, ms(start), ms(orForever(end))).Scan(&tokens, &micros)
	return tokens, micros, err
}

// book moves amounts on budgets' accounts: what is reserved, and what is used.
func book(t *tx, accounts []agent.BudgetAccount, reservedTokens, reservedMicros, usedTokens, usedMicros int64) error {
	for _, a := range accounts {
		_, err := t.exec(`UPDATE budget_accounts SET reserved_tokens = reserved_tokens + $1, reserved_micros = reserved_micros + $2,
			used_tokens = used_tokens + $3, used_micros = used_micros + $4 WHERE budget_id = $5 AND subject = $6 AND starts_at = $7`,
			reservedTokens, reservedMicros, usedTokens, usedMicros, a.BudgetID, a.Subject, ms(a.StartsAt))
		if err != nil {
			return err
		}
	}
	return nil
}

// raiseLimits adds to limits, and lets approvals look again that wait on those accounts.
func raiseLimits(t *tx, raises []agent.LimitIncrease) error {
	for _, r := range raises {
		_, err := t.exec(`UPDATE budget_accounts SET raised_tokens = raised_tokens + $1, raised_micros = raised_micros + $2
			WHERE budget_id = $3 AND subject = $4 AND starts_at = $5`, r.Tokens, r.Micros, r.BudgetID, r.Subject, ms(r.StartsAt))
		if err != nil {
			return err
		}
		if err := recheckAccount(t, r.BudgetAccount); err != nil {
			return err
		}
	}
	return nil
}

func accountsOf(budgets []agent.BudgetStatus) []agent.BudgetAccount {
	var accounts []agent.BudgetAccount
	for _, b := range budgets {
		accounts = append(accounts, agent.BudgetAccount{BudgetID: b.ID, Subject: b.Of, StartsAt: b.StartsAt})
	}
	return accounts
}
