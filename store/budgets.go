package store

import (
	"context"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Budgets keeps the budgets of admins and reads how much of each is used.
type Budgets struct{ *core }

const budgetColumns = `id, who, subject, span, limit_tokens, limit_micros, soft, at_limit, model, created_by, created_at`

func scanBudget(r sqlite.Scanner) (agent.Budget, error) {
	var b agent.Budget
	var created int64
	err := r.Scan(&b.ID, &b.Who, &b.Subject, &b.Span, &b.LimitTokens, &b.LimitMicros, &b.Soft, &b.AtLimit, &b.Model, &b.CreatedBy, &created)
	b.CreatedAt = sqlite.FromMS(created)
	return b, err
}

// Budgets are the active ones that admins set, oldest first.
func (s *Budgets) Budgets(ctx context.Context) ([]agent.Budget, error) {
	return sqlite.List(ctx, s.db, scanBudget, `SELECT `+budgetColumns+` FROM budgets WHERE ended_at = 0 ORDER BY id`)
}

const noBudget = "There is no such budget."

// Budget returns an active budget; NotFound if there is none.
func (s *Budgets) Budget(ctx context.Context, id string) (*agent.Budget, error) {
	b, err := scanBudget(s.db.QueryRowContext(ctx, `SELECT `+budgetColumns+` FROM budgets WHERE id = $1 AND ended_at = 0`, id))
	if err != nil {
		return nil, sqlite.NotFound(err, noBudget)
	}
	return &b, nil
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
