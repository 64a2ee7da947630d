package store

import (
	"context"
	"database/sql"
	"errors"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// BudgetStatuses is the status of every active budget, oldest budget first:
// once for each subject that has an account in the current window, the fullest
// first, and once without one where there is none. Of the runs only those that
// go on are listed.
func (s *Budgets) BudgetStatuses(ctx context.Context) ([]agent.BudgetStatus, error) {
	budgets, err := s.Budgets(ctx)
	if err != nil {
		return nil, err
	}
	all := []agent.BudgetStatus{}
	for _, b := range budgets {
		start, end := b.Span.Window(s.clock.Now(), s.zone)
		empty := agent.BudgetStatus{Budget: b, Of: b.Subject, StartsAt: start, EndsAt: end}
		accounts, err := s.accountsOf(ctx, empty)
		if err != nil {
			return nil, err
		}
		if len(accounts) == 0 {
			if err := s.openingOf(ctx, &empty); err != nil {
				return nil, err
			}
			accounts = append(accounts, empty)
		}
		all = append(all, accounts...)
	}
	return all, nil
}

const accountColumns = `a.subject, a.opening_tokens + a.used_tokens, a.opening_micros + a.used_micros,
	a.reserved_tokens, a.reserved_micros, a.raised_tokens, a.raised_micros, a.told`

// accountsOf are a budget's accounts in one window; what is the same for all of
// them is taken from the standing.
func (s *Budgets) accountsOf(ctx context.Context, of agent.BudgetStatus) ([]agent.BudgetStatus, error) {
	scan := func(r sqlite.Scanner) (agent.BudgetStatus, error) {
		st := of
		err := r.Scan(&st.Of, &st.UsedTokens, &st.UsedMicros, &st.ReservedTokens, &st.ReservedMicros, &st.RaisedTokens, &st.RaisedMicros, &st.Told)
		return st, err
	}
	const order = ` ORDER BY a.opening_micros + a.used_micros DESC, a.opening_tokens + a.used_tokens DESC, a.subject`
	if of.Span == agent.SpanRun {
		return sqlite.List(ctx, s.db, scan, `SELECT `+accountColumns+` FROM runs r JOIN budget_accounts a
			ON a.budget_id = $1 AND a.starts_at = 0 AND a.subject = r.id
			WHERE r.status IN ('queued', 'running', 'paused')`+order, of.ID)
	}
	return sqlite.List(ctx, s.db, scan, `SELECT `+accountColumns+` FROM budget_accounts a WHERE a.budget_id = $1 AND a.starts_at = $2`+order,
		of.ID, sqlite.MS(of.StartsAt))
}

// BudgetStatusesOf is the status of the budgets that limit a user: their own, those of
// their group and of everyone. Those of each run and each conversation are listed
// without any use.
func (s *Budgets) BudgetStatusesOf(ctx context.Context, userID string) ([]agent.BudgetStatus, error) {
	u, err := userByID(ctx, s.db, userID)
	if err != nil {
		return nil, err
	}
	budgets, err := s.Budgets(ctx)
	if err != nil {
		return nil, err
	}
	all := []agent.BudgetStatus{}
	for _, b := range budgets {
		of, bound := subjectFor(b, *u)
		if !bound {
			continue
		}
		st := agent.BudgetStatus{Budget: b, Of: of}
		st.StartsAt, st.EndsAt = b.Span.Window(s.clock.Now(), s.zone)
		if st, err = s.standingFor(ctx, st); err != nil {
			return nil, err
		}
		all = append(all, st)
	}
	return all, nil
}

// subjectFor is the subject that a user's spending counts for in a budget; bound reports
// whether it counts that at all.
func subjectFor(b agent.Budget, u agent.User) (of string, bound bool) {
	switch b.Who {
	case agent.WhoUser:
		return u.ID, b.Subject == "" || b.Subject == u.ID
	case agent.WhoGroup:
		return u.Group, u.Group != "" && b.Subject == u.Group
	default:
		return "", true
	}
}

// standingFor reads the account of a standing's subject, if it has one.
func (s *Budgets) standingFor(ctx context.Context, st agent.BudgetStatus) (agent.BudgetStatus, error) {
	err := s.db.QueryRowContext(ctx, `SELECT `+accountColumns+` FROM budget_accounts a
		WHERE a.budget_id = $1 AND a.starts_at = $2 AND a.subject = $3`, st.ID, sqlite.MS(st.StartsAt), st.Of).
		Scan(&st.Of, &st.UsedTokens, &st.UsedMicros, &st.ReservedTokens, &st.ReservedMicros, &st.RaisedTokens, &st.RaisedMicros, &st.Told)
	if errors.Is(err, sql.ErrNoRows) {
		return st, s.openingOf(ctx, &st)
	}
	return st, err
}

// openingOf fills in what was used in the window of a standing that has no
// account yet: its account will be opened with that. A budget for each by itself
// has no one subject, and so no use.
func (s *Budgets) openingOf(ctx context.Context, st *agent.BudgetStatus) error {
	if st.Of == "" && st.Who != agent.WhoEverybody {
		return nil
	}
	return s.db.QueryRowContext(ctx, sumWithin(st.Who), st.Of, sqlite.MS(st.StartsAt), sqlite.MS(orForever(st.EndsAt))).Scan(&st.UsedTokens, &st.UsedMicros)
}
