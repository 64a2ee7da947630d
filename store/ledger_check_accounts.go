package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"fusebox/agent"
)

// figures are what an account has reserved and used.
type figures struct{ reservedTokens, reservedMicros, usedTokens, usedMicros int64 }

// accountKey names an account of a budget; times are compared as numbers.
type accountKey struct {
	budget, subject string
	starts          int64
}

func keyOf(a agent.BudgetAccount) accountKey {
	return accountKey{a.BudgetID, a.Subject, ms(a.StartsAt)}
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
	rows, err := t.QueryContext(ctx, `SELECT a.budget_id, a.subject, a.starts_at, a.opening_tokens, a.opening_micros, a.used_tokens, a.used_micros,
		a.reserved_tokens, a.reserved_micros, b.who, b.span, b.ended_at FROM budget_accounts a JOIN budgets b ON b.id = a.budget_id`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var all []openAccount
	for rows.Next() {
		var a openAccount
		err := rows.Scan(&a.key.budget, &a.key.subject, &a.key.starts, &a.openingTokens, &a.openingMicros, &a.has.usedTokens, &a.has.usedMicros,
			&a.has.reservedTokens, &a.has.reservedMicros, &a.who, &a.span, &a.ended)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, rows.Err()
}

// enteredFigures sums the ledger's entries and the open reservations by account.
func enteredFigures(ctx context.Context, t *sql.Tx) (map[accountKey]figures, error) {
	sums := map[accountKey]figures{}
	rows, err := t.QueryContext(ctx, `SELECT accounts, SUM(tokens), SUM(micros), FALSE FROM ledger WHERE debit = 'spent' AND accounts <> '' GROUP BY accounts
		UNION ALL SELECT accounts, SUM(tokens), SUM(micros), TRUE FROM reservations WHERE accounts <> '' GROUP BY accounts`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var text string
		var tokens, micros int64
		var held bool
		if err := rows.Scan(&text, &tokens, &micros, &held); err != nil {
			return nil, err
		}
		var accounts []agent.BudgetAccount
		if err := fromJSON(text, &accounts); err != nil {
			return nil, err
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
	}
	return sums, rows.Err()
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
	start, end := a.span.Window(fromMS(a.key.starts), zone)
	if a.ended != 0 || ms(start) != a.key.starts { // the zone was changed since
		return nil
	}
	var tokens, micros int64
	err := t.QueryRowContext(ctx, sumWithin(a.who), a.key.subject, a.key.starts, ms(orForever(end))).Scan(&tokens, &micros)
	if err != nil {
		return err
	}
	if tokens != a.openingTokens+a.has.usedTokens || micros != a.openingMicros+a.has.usedMicros {
		return a.fault("has counted %d tokens and %d micro-USD, the calls of its window add up to %d and %d",
			a.openingTokens+a.has.usedTokens, a.openingMicros+a.has.usedMicros, tokens, micros)
	}
	return nil
}
