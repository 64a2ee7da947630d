package store

import (
	"context"
	"time"

	"fusebox/agent"
)

// BudgetStandings is how every active budget stands now, oldest budget first:
// once for each subject that has an account in the current window, the fullest
// first, and once with nothing used where there is none. Of the runs only those
// that go on are listed.
func (s *Store) BudgetStandings(ctx context.Context) ([]agent.Standing, error) {
	budgets, err := s.Budgets(ctx)
	if err != nil {
		return nil, err
	}
	all := []agent.Standing{}
	for _, b := range budgets {
		start, end := b.Span.Window(s.clock.Now(), s.zone())
		empty := agent.Standing{Budget: b, Of: b.Subject, StartsAt: start, EndsAt: end}
		accounts, err := s.accountsOf(ctx, empty)
		if err != nil {
			return nil, err
		}
		if len(accounts) == 0 {
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
func (s *Store) accountsOf(ctx context.Context, of agent.Standing) ([]agent.Standing, error) {
	scan := func(r scanner) (agent.Standing, error) {
		st := of
		err := r.Scan(&st.Of, &st.UsedTokens, &st.UsedMicros, &st.ReservedTokens, &st.ReservedMicros, &st.RaisedTokens, &st.RaisedMicros, &st.Told)
		return st, err
	}
	const order = ` ORDER BY a.opening_micros + a.used_micros DESC, a.opening_tokens + a.used_tokens DESC, a.subject`
	if of.Span == agent.SpanRun {
		return list(ctx, s, scan, `SELECT `+accountColumns+` FROM runs r JOIN budget_accounts a
			ON a.budget_id = $1 AND a.starts_at = 0 AND a.subject = r.id
			WHERE r.status IN ('queued', 'running', 'paused')`+order, of.ID)
	}
	return list(ctx, s, scan, `SELECT `+accountColumns+` FROM budget_accounts a WHERE a.budget_id = $1 AND a.starts_at = $2`+order,
		of.ID, ms(of.StartsAt))
}

// zone is where the days, weeks and months of budgets begin.
func (s *Store) zone() *time.Location { return s.location }
