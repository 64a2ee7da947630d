package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"fusebox/agent"
	"fusebox/store/spend"
	"fusebox/store/sqlite"
)

// LedgerReport is what a check of the ledger has counted.
type LedgerReport struct {
	Entries, Calls, Runs, Accounts, Open int64
	Tokens, Micros                       int64
}

// CheckLedger proves that the ledger of a database, which a server may be writing
// to, adds up: the entries among themselves, the lines of the bill, the runs, the
// sums by days, and the budgets' accounts. It changes nothing. What does not
// agree is an *agent.LedgerFault. zone is that of the budgets' windows.
func CheckLedger(ctx context.Context, path string, zone *time.Location) (LedgerReport, error) {
	var report LedgerReport
	if _, err := os.Stat(path); err != nil {
		return report, fmt.Errorf("database %s cannot be read: %w", path, err)
	}
	db, err := sqlite.Connect(path, "_query_only=1", 1)
	if err != nil {
		return report, err
	}
	defer func() { _ = db.Close() }()
	return checkLedger(ctx, db, zone)
}

// checkLedger reads everything in one transaction, so that a line of this moment
// is everywhere or nowhere.
func checkLedger(ctx context.Context, db *sql.DB, zone *time.Location) (LedgerReport, error) {
	var report LedgerReport
	t, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return report, err
	}
	defer func() { _ = t.Rollback() }()
	for _, check := range ledgerFaults {
		var which sql.NullString
		switch err := t.QueryRowContext(ctx, check.query).Scan(&which); {
		case err == nil:
			return report, &agent.LedgerFault{What: fmt.Sprintf(check.what, which.String)}
		case !errors.Is(err, sql.ErrNoRows):
			return report, err
		}
	}
	if err := checkRuns(ctx, t); err != nil {
		return report, err
	}
	if err := spend.Check(ctx, t); err != nil {
		return report, err
	}
	if err := checkAccounts(ctx, t, zone); err != nil {
		return report, err
	}
	err = t.QueryRowContext(ctx, `SELECT (SELECT COUNT(*) FROM ledger), COUNT(*), COUNT(DISTINCT CASE WHEN kind NOT IN ('title', 'embedding') THEN run_id END), (SELECT COUNT(*) FROM budget_accounts),
		(SELECT COUNT(*) FROM reservations), COALESCE(SUM(input_tokens + output_tokens), 0), COALESCE(SUM(cost_micros), 0) FROM usage`).
		Scan(&report.Entries, &report.Calls, &report.Runs, &report.Accounts, &report.Open, &report.Tokens, &report.Micros)
	return report, err
}

// ledgerFaults are what must not be there. Each query names the first of it.
var ledgerFaults = []struct{ query, what string }{
	{`SELECT 'row ' || MIN(seq) FROM ledger HAVING COUNT(*) <> COALESCE(MAX(seq), 0)`, "rows are missing or were added out of order, counted from %s"},
	{`SELECT 'row ' || MIN(seq) FROM ledger WHERE tokens < 0 OR micros < 0 OR (kind || ' ' || debit || ' ' || credit) NOT IN (
		'reservation reserved available', 'settlement spent reserved', 'release available reserved', 'correction spent available') HAVING COUNT(*) > 0`,
		"%s moves an amount that its kind cannot move"},
	// What was reserved has been settled or released, or belongs to a call in progress.
	{`SELECT 'reservation ' || l.reservation_id FROM ledger l LEFT JOIN reservations r ON r.id = l.reservation_id
		WHERE l.reservation_id <> '' GROUP BY l.reservation_id
		HAVING SUM(CASE WHEN l.debit = 'reserved' THEN l.tokens WHEN l.credit = 'reserved' THEN -l.tokens ELSE 0 END) <> COALESCE(MAX(r.tokens), 0)
		OR SUM(CASE WHEN l.debit = 'reserved' THEN l.micros WHEN l.credit = 'reserved' THEN -l.micros ELSE 0 END) <> COALESCE(MAX(r.micros), 0) LIMIT 1`,
		"%s does not balance"},
	{`SELECT 'reservation ' || reservation_id FROM ledger WHERE reservation_id <> '' GROUP BY reservation_id
		HAVING COUNT(DISTINCT run_id) > 1 LIMIT 1`, "%s is booked on several runs"},
	{`SELECT 'reservation ' || id FROM reservations WHERE id NOT IN (SELECT reservation_id FROM ledger) LIMIT 1`, "%s is reserved but was never entered"},
	{`SELECT 'the reservation of run ' || v.run_id FROM reservations v LEFT JOIN runs r ON r.id = v.run_id AND r.epoch = v.epoch AND r.status = 'running'
		WHERE r.id IS NULL AND v.kind <> 'title' LIMIT 1`, "%s belongs to no active run"},
	// Each line of the bill is in the ledger with the same figures, and nothing else is.
	{`SELECT 'step ' || u.step || ' ' || u.kind || ' of run ' || u.run_id FROM usage u LEFT JOIN (` + spentByStep + `) l
		ON l.run_id = u.run_id AND l.step = u.step AND l.step_kind = u.kind
		WHERE COALESCE(l.tokens, -1) <> u.input_tokens + u.output_tokens OR COALESCE(l.micros, -1) <> u.cost_micros LIMIT 1`,
		"%s has different figures in the bill and in the ledger"},
	{`SELECT 'step ' || u.step || ' ' || u.kind || ' of run ' || u.run_id FROM usage u JOIN ledger l
		ON l.run_id = u.run_id AND l.step = u.step AND l.step_kind = u.kind AND l.debit = 'spent'
		WHERE l.reservation_id <> u.reservation_id LIMIT 1`, "%s names different reservations in the bill and in the ledger"},
	{`SELECT 'step ' || l.step || ' ' || l.step_kind || ' of run ' || l.run_id FROM (` + spentByStep + `) l
		LEFT JOIN usage u ON u.run_id = l.run_id AND u.step = l.step AND u.kind = l.step_kind WHERE u.run_id IS NULL LIMIT 1`,
		"%s is in the ledger and not in the bill"},
}

const spentByStep = `SELECT run_id, step, step_kind, SUM(tokens) AS tokens, SUM(micros) AS micros FROM ledger
	WHERE debit = 'spent' GROUP BY run_id, step, step_kind`

// checkRuns checks what runs say they have taken against their lines.
func checkRuns(ctx context.Context, t *sql.Tx) error {
	return sqlite.Each(ctx, t, func(r sqlite.Scanner) error {
		var id, text string
		var micros, billed int64
		var said agent.Usage
		var lines agent.Tokens
		err := r.Scan(&id, &text, &micros, &lines.InputTokens, &lines.CachedTokens, &lines.OutputTokens, &lines.ReasoningTokens, &billed)
		if err != nil {
			return err
		}
		if err := fromJSON(text, &said); err != nil {
			return err
		}
		if said.Tokens != lines || micros != billed {
			return &agent.LedgerFault{What: fmt.Sprintf("run %s says %d tokens and %d micro-USD, its lines add up to %d and %d",
				id, said.Total(), micros, lines.Total(), billed)}
		}
		return nil
	}, `SELECT r.id, r.usage, r.cost_micros, COALESCE(SUM(u.input_tokens), 0), COALESCE(SUM(u.cached_tokens), 0),
		COALESCE(SUM(u.output_tokens), 0), COALESCE(SUM(u.reasoning_tokens), 0), COALESCE(SUM(u.cost_micros), 0)
		FROM runs r LEFT JOIN usage u ON u.run_id = r.id GROUP BY r.id`)
}

// figures are what an account has reserved and used.
type figures struct{ reservedTokens, reservedMicros, usedTokens, usedMicros int64 }

// accountKey names an account of a budget; times are compared as numbers.
type accountKey struct {
	budget, subject string
	starts          int64
}

func keyOf(a agent.BudgetAccount) accountKey {
	return accountKey{a.BudgetID, a.Subject, sqlite.MS(a.StartsAt)}
}

// checkAccounts checks the budgets' accounts against the ledger's entries, the
// open reservations, and the lines of the bill that fall into their windows.
func checkAccounts(ctx context.Context, t *sql.Tx, zone *time.Location) error {
	entered, err := enteredFigures(ctx, t)
	if err != nil {
		return err
	}
	all, err := openAccounts(ctx, t)
	if err != nil {
		return err
	}
	for _, a := range all {
		if a.has != entered[a.key] {
			return a.fault("has %+v, its entries add up to %+v", a.has, entered[a.key])
		}
		delete(entered, a.key)
		if err := a.checkWindow(ctx, t, zone); err != nil {
			return err
		}
	}
	for key := range entered {
		return &agent.LedgerFault{What: fmt.Sprintf("entries refer to an account of budget %s for %q that does not exist", key.budget, key.subject)}
	}
	return nil
}

func openAccounts(ctx context.Context, t *sql.Tx) ([]openAccount, error) {
	return sqlite.List(ctx, t, func(r sqlite.Scanner) (a openAccount, err error) {
		err = r.Scan(&a.key.budget, &a.key.subject, &a.key.starts, &a.openingTokens, &a.openingMicros, &a.has.usedTokens, &a.has.usedMicros,
			&a.has.reservedTokens, &a.has.reservedMicros, &a.who, &a.span, &a.ended)
		return a, err
	}, `SELECT a.budget_id, a.subject, a.starts_at, a.opening_tokens, a.opening_micros, a.used_tokens, a.used_micros,
		a.reserved_tokens, a.reserved_micros, b.who, b.span, b.ended_at FROM budget_accounts a JOIN budgets b ON b.id = a.budget_id`)
}

// enteredFigures sums the ledger's entries and the open reservations by account.
func enteredFigures(ctx context.Context, t *sql.Tx) (map[accountKey]figures, error) {
	sums := map[accountKey]figures{}
	err := sqlite.Each(ctx, t, func(r sqlite.Scanner) error {
		var text string
		var tokens, micros int64
		var held bool
		if err := r.Scan(&text, &tokens, &micros, &held); err != nil {
			return err
		}
		var accounts []agent.BudgetAccount
		if err := fromJSON(text, &accounts); err != nil {
			return err
		}
		for _, a := range accounts {
			f := sums[keyOf(a)]
			if held {
				f.reservedTokens += tokens
				f.reservedMicros += micros
			} else {
				f.usedTokens += tokens
				f.usedMicros += micros
			}
			sums[keyOf(a)] = f
		}
		return nil
	}, `SELECT accounts, SUM(tokens), SUM(micros), FALSE FROM ledger WHERE debit = 'spent' AND accounts <> '' GROUP BY accounts
		UNION ALL SELECT accounts, SUM(tokens), SUM(micros), TRUE FROM reservations WHERE accounts <> '' GROUP BY accounts`)
	return sums, err
}

// openAccount is an account with its current figures.
type openAccount struct {
	key                          accountKey
	openingTokens, openingMicros int64
	has                          figures
	who                          agent.BudgetWho
	span                         agent.BudgetSpan
	ended                        int64
}

func (a openAccount) fault(format string, args ...any) error {
	return &agent.LedgerFault{What: fmt.Sprintf("the account of budget %s for %q ", a.key.budget, a.key.subject) + fmt.Sprintf(format, args...)}
}

// checkWindow checks an account against the bill: all calls that began in its
// window and count for it. A budget that has ended counts no more.
func (a openAccount) checkWindow(ctx context.Context, t *sql.Tx, zone *time.Location) error {
	start, end := a.span.Window(sqlite.FromMS(a.key.starts), zone)
	if a.ended != 0 || sqlite.MS(start) != a.key.starts { // the zone was changed since
		return nil
	}
	var tokens, micros int64
	err := t.QueryRowContext(ctx, sumWithin(a.who), a.key.subject, a.key.starts, sqlite.MS(orForever(end))).Scan(&tokens, &micros)
	if err != nil {
		return err
	}
	if tokens != a.openingTokens+a.has.usedTokens || micros != a.openingMicros+a.has.usedMicros {
		return a.fault("has counted %d tokens and %d micro-USD, the calls of its window add up to %d and %d",
			a.openingTokens+a.has.usedTokens, a.openingMicros+a.has.usedMicros, tokens, micros)
	}
	return nil
}
