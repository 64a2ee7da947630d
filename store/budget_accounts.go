package store

import (
	"fmt"
	"slices"
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

func readAccount(t *sqlite.Tx, st *agent.BudgetStatus) (found bool, err error) {
	err = t.Row(`SELECT opening_tokens + used_tokens, opening_micros + used_micros, reserved_tokens, reserved_micros,
		raised_tokens, raised_micros, told FROM budget_accounts WHERE budget_id = $1 AND subject = $2 AND starts_at = $3`,
		st.ID, st.Of, sqlite.MS(st.StartsAt)).Scan(&st.UsedTokens, &st.UsedMicros, &st.ReservedTokens, &st.ReservedMicros,
		&st.RaisedTokens, &st.RaisedMicros, &st.Told)
	return err == nil, sqlite.OrNone(err)
}

// book moves amounts on budgets' accounts: what is reserved, and what is used.
func book(t *sqlite.Tx, accounts []agent.BudgetAccount, reservedTokens, reservedMicros, usedTokens, usedMicros int64) error {
	for _, a := range accounts {
		_, err := t.Exec(`UPDATE budget_accounts SET reserved_tokens = reserved_tokens + $1, reserved_micros = reserved_micros + $2,
			used_tokens = used_tokens + $3, used_micros = used_micros + $4 WHERE budget_id = $5 AND subject = $6 AND starts_at = $7`,
			reservedTokens, reservedMicros, usedTokens, usedMicros, a.BudgetID, a.Subject, sqlite.MS(a.StartsAt))
		if err != nil {
			return err
		}
	}
	return nil
}

// raiseLimits adds to limits, and lets approvals look again that wait on those accounts.
func raiseLimits(t *sqlite.Tx, raises []agent.LimitIncrease) error {
	for _, r := range raises {
		_, err := t.Exec(`UPDATE budget_accounts SET raised_tokens = raised_tokens + $1, raised_micros = raised_micros + $2
			WHERE budget_id = $3 AND subject = $4 AND starts_at = $5`, r.Tokens, r.Micros, r.BudgetID, r.Subject, sqlite.MS(r.StartsAt))
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

// sharedBudgets are the admins' budgets that a call counts for, with their
// accounts in the windows of an instant. Accounts that are missing are opened.
func (c *core) sharedBudgets(t *sqlite.Tx, who spender, at time.Time) ([]agent.BudgetStatus, error) {
	rules, err := sqlite.ListIn(t, scanBudget, `SELECT `+budgetColumns+` FROM budgets WHERE ended_at = 0 AND (who IN ('run', 'conversation', 'everybody')
		OR (who = 'user' AND subject IN ('', $1)) OR (who = 'group' AND subject = $2 AND $2 <> '')) ORDER BY id`,
		who.run.UserID, who.group)
	if err != nil {
		return nil, err
	}
	rules = slices.DeleteFunc(rules, func(b agent.Budget) bool { // of runs and chats, where there is none
		return who.subjectOf(b.Who) == "" && b.Who != agent.WhoEverybody
	})
	all := make([]agent.BudgetStatus, len(rules))
	for i, b := range rules {
		if all[i], err = c.standingAt(t, b, who, at); err != nil {
			return nil, fmt.Errorf("account of budget %s: %w", b.ID, err)
		}
	}
	return all, nil
}

// standingAt returns a budget's status in the window of an instant. One that is
// not there is opened with what was used in the window before, and with what
// calls in progress have reserved.
func (c *core) standingAt(t *sqlite.Tx, b agent.Budget, who spender, at time.Time) (agent.BudgetStatus, error) {
	start, end := b.Span.Window(at, c.zone)
	st := agent.BudgetStatus{Budget: b, Of: who.subjectOf(b.Who), StartsAt: start, EndsAt: end}
	found, err := readAccount(t, &st)
	if found || err != nil {
		return st, err
	}
	if err := t.Row(sumWithin(b.Who), st.Of, sqlite.MS(start), sqlite.MS(orForever(end))).Scan(&st.UsedTokens, &st.UsedMicros); err != nil {
		return st, err
	}
	if _, err := t.Exec(`INSERT INTO budget_accounts (budget_id, subject, starts_at, opening_tokens, opening_micros) VALUES ($1, $2, $3, $4, $5)`,
		b.ID, st.Of, sqlite.MS(start), st.UsedTokens, st.UsedMicros); err != nil {
		return st, err
	}
	return c.takeIn(t, st)
}

// takeIn counts the calls under way in an account that was opened after they had
// begun, because its budget is newer than they are: what they reserved, they will use.
func (c *core) takeIn(t *sqlite.Tx, st agent.BudgetStatus) (agent.BudgetStatus, error) {
	open, err := openCalls(t)
	if err != nil {
		return st, err
	}
	for _, call := range open {
		start, _ := st.Span.Window(call.held.At, c.zone)
		if call.subjectOf(st.Who) != st.Of || !start.Equal(st.StartsAt) {
			continue
		}
		account := []agent.BudgetAccount{{BudgetID: st.ID, Subject: st.Of, StartsAt: st.StartsAt}}
		call.held.Accounts = append(call.held.Accounts, account...)
		if err := putReservation(t, call.held, 0); err != nil {
			return st, err
		}
		if err := book(t, account, call.held.Tokens, call.held.Micros, 0, 0); err != nil {
			return st, err
		}
		st.ReservedTokens += call.held.Tokens
		st.ReservedMicros += call.held.Micros
	}
	return st, nil
}

// heldCall is a reservation with whose it is.
type heldCall struct {
	spender
	held agent.OpenReservation
}

func openCalls(t *sqlite.Tx) ([]heldCall, error) {
	return sqlite.ListIn(t, func(r sqlite.Scanner) (c heldCall, err error) {
		c.held, err = scanReservation(beside{r, []any{&c.run.ConversationID, &c.run.UserID, &c.run.Lineage.RootRunID}})
		c.run.ID, c.group = c.held.RunID, c.held.GroupName
		return c, err
	}, `SELECT v.id, v.run_id, v.step, v.kind, v.tokens, v.micros, v.accounts, v.at, v.group_name,
			COALESCE(r.conversation_id, c.id, ''), COALESCE(r.user_id, c.owner_id, ''), COALESCE(r.root_run_id, '')
		FROM reservations v LEFT JOIN runs r ON r.id = v.run_id LEFT JOIN conversations c ON c.id = v.run_id ORDER BY v.run_id`)
}

// warnShared tells of the admins' budgets that a settlement has brought to a share
// at which people are warned. Each share is reported once in a window. budgets are
// as they stood before it. An event about the limit of a run names that run, which may be one above.
func (c *core) warnShared(t *sqlite.Tx, budgets []agent.BudgetStatus, tokens, micros int64) ([]agent.Event, error) {
	var told []agent.Event
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
		for _, data := range event {
			e := agent.Event{Data: data}
			if !b.Shared() && b.Who == agent.WhoRun {
				e.RunID = b.Of
			}
			told = append(told, e)
		}
	}
	return told, nil
}

// warnOwn is warnShared for the budgets that come with a run. Its row has what was
// settled in it by now.
func (c *core) warnOwn(t *sqlite.Tx, who spender, tokens, micros int64) ([]agent.Event, error) {
	own, err := ownBudgets(t, who)
	for i := range own {
		own[i].UsedTokens -= tokens
		own[i].UsedMicros -= micros
	}
	if err != nil {
		return nil, err
	}
	told, err := c.warnShared(t, own, tokens, micros)
	for i := range told {
		told[i].ParentRunID = who.tree[told[i].RunID].Lineage.ParentRunID
	}
	return told, err
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
