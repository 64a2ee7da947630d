package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Budgets keeps the budgets of admins and reads how much of each is used.
type Budgets struct{ *core }

const budgetColumns = `id, who, subject, span, limit_tokens, limit_micros, soft, at_limit, model, created_by, created_at`

func scanBudget(r sqlite.Scanner) (b agent.Budget, err error) {
	err = r.Scan(&b.ID, &b.Who, &b.Subject, &b.Span, &b.LimitTokens, &b.LimitMicros, &b.Soft, &b.AtLimit, &b.Model, &b.CreatedBy,
		sqlite.Time(&b.CreatedAt))
	return b, err
}

// Budgets are the active ones that admins set, oldest first.
func (s *Budgets) Budgets(ctx context.Context) ([]agent.Budget, error) {
	return sqlite.List(ctx, s.db, scanBudget, `SELECT `+budgetColumns+` FROM budgets WHERE ended_at = 0 ORDER BY id`)
}

const noBudget = "There is no such budget."

// Budget returns an active budget; NotFound if there is none.
func (s *Budgets) Budget(ctx context.Context, id string) (*agent.Budget, error) {
	return sqlite.One(s.db.QueryRowContext(ctx, `SELECT `+budgetColumns+` FROM budgets WHERE id = $1 AND ended_at = 0`, id),
		scanBudget, noBudget)
}

// AddBudget activates a budget. Conflict if there is another one for the
// same subject and window, or where there are as many as there may be; Invalid
// where its user does not exist.
func (s *Budgets) AddBudget(ctx context.Context, v agent.Viewer, b agent.Budget) error {
	return s.audited(agent.WithViewer(ctx, v), "", "budget.add", b.ID, b, func(t *sqlite.Tx) error {
		if err := roomForBudget(t, b); err != nil {
			return err
		}
		if err := checkSubject(t, b); err != nil {
			return err
		}
		_, err := t.Exec(`INSERT INTO budgets (`+budgetColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
			b.ID, b.Who, b.Subject, b.Span, b.LimitTokens, b.LimitMicros, b.Soft, b.AtLimit, b.Model, b.CreatedBy, sqlite.MS(b.CreatedAt))
		return err
	})
}

// roomForBudget refuses a second budget of the same kind, and more than every
// call can be checked against.
func roomForBudget(t *sqlite.Tx, b agent.Budget) error {
	var all, same int
	err := t.Row(`SELECT COUNT(*), COUNT(CASE WHEN who = $1 AND subject = $2 AND span = $3 THEN 1 END) FROM budgets WHERE ended_at = 0`,
		b.Who, b.Subject, b.Span).Scan(&all, &same)
	switch {
	case err != nil:
		return err
	case same > 0:
		return agent.Errorf(agent.Conflict, "There is already a budget for the same people and period. Change that one instead.")
	case all >= agent.MaxBudgets:
		return agent.Errorf(agent.Conflict, "There are already %d budgets, the maximum. Delete one first.", all)
	}
	return nil
}

// checkSubject checks a budget of one user against the accounts there are. A
// group may get its people later.
func checkSubject(t *sqlite.Tx, b agent.Budget) error {
	if b.Who != agent.WhoUser || b.Subject == "" {
		return nil
	}
	var n int
	err := t.Row(`SELECT COUNT(*) FROM users WHERE id = $1`, b.Subject).Scan(&n)
	if err == nil && n == 0 {
		err = agent.InvalidField("subject", "is not the id of an account; leave it empty for each user by itself")
	}
	return err
}

// Change is what the audit log keeps of a changed budget.
type budgetChange struct {
	From agent.Budget  `json:"from"`
	To   *agent.Budget `json:"to,omitempty"`
}

// ChangeBudget sets limits, softness and what happens at the limit; its subject
// and window stay. Runs that wait for it check again.
// NotFound if it is not active, Conflict if it has changed in the meantime.
func (s *Budgets) ChangeBudget(ctx context.Context, v agent.Viewer, was, b agent.Budget) error {
	var change budgetChange
	return s.audited(agent.WithViewer(ctx, v), "", "budget.change", b.ID, &change, func(t *sqlite.Tx) error {
		if err := change.read(t, b.ID); err != nil {
			return err
		}
		if change.From.Terms() != was.Terms() {
			return agent.Errorf(agent.Conflict, "Someone else changed this budget at the same time. Review it and try again.")
		}
		to := change.From
		to.LimitTokens, to.LimitMicros, to.Soft, to.AtLimit, to.Model = b.LimitTokens, b.LimitMicros, b.Soft, b.AtLimit, b.Model
		change.To = &to
		if _, err := t.Exec(`UPDATE budgets SET limit_tokens = $1, limit_micros = $2, soft = $3, at_limit = $4, model = $5 WHERE id = $6`,
			b.LimitTokens, b.LimitMicros, b.Soft, b.AtLimit, b.Model, b.ID); err != nil {
			return err
		}
		return recheckBudget(t, b.ID)
	})
}

// EndBudget takes a budget out of force; what was booked on it stays. Runs that
// wait for it check again. NotFound if it is not active.
func (s *Budgets) EndBudget(ctx context.Context, v agent.Viewer, id string) error {
	var change budgetChange
	return s.audited(agent.WithViewer(ctx, v), "", "budget.end", id, &change, func(t *sqlite.Tx) error {
		if err := change.read(t, id); err != nil {
			return err
		}
		if _, err := t.Exec(`UPDATE budgets SET ended_by = $1, ended_at = $2 WHERE id = $3`, v.Email, sqlite.MS(s.clock.Now()), id); err != nil {
			return err
		}
		return recheckBudget(t, id)
	})
}

// read takes the budget as it stood before.
func (c *budgetChange) read(t *sqlite.Tx, id string) error {
	var err error
	c.From, err = scanBudget(t.Row(`SELECT `+budgetColumns+` FROM budgets WHERE id = $1 AND ended_at = 0`, id))
	return sqlite.NotFound(err, noBudget)
}

// Groups are the names of the groups that users belong to or budgets are for.
func (s *Budgets) Groups(ctx context.Context) ([]string, error) {
	return sqlite.List(ctx, s.db, sqlite.ScanString, `SELECT group_name FROM users WHERE group_name <> ''
		UNION SELECT subject FROM budgets WHERE who = 'group' AND ended_at = 0 ORDER BY 1`)
}

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
			WHERE r.parent_run_id = '' AND r.status IN ('queued', 'running', 'paused')`+order, of.ID)
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
		err = s.openingOf(ctx, &st)
		return st, err
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

// usedBy are the lines of the bill that count for a budget.
var usedBy = map[agent.BudgetWho]string{
	agent.WhoRun: `(run_id = $1 OR root_run_id = $1 AND root_run_id <> '')`, agent.WhoConversation: `conversation_id = $1`, agent.WhoUser: `user_id = $1`,
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
