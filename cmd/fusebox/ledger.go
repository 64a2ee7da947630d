package main

import (
	"context"
	"errors"
	"fmt"

	"fusebox/agent"
	"fusebox/store"
)

const ledgerUsage = `usage: fusebox ledger verify [flags]`

// ledger is fusebox ledger verify: it proves that entries, lines, runs, days,
// totals and budgets agree, also while a server writes, and changes nothing.
func (p process) ledger(ctx context.Context, args []string) error {
	if len(args) == 0 || args[0] != "verify" {
		return usagef("%s", ledgerUsage)
	}
	c, err := p.loadAlone("ledger verify", ledgerUsage, args[1:])
	if err != nil {
		return err
	}
	report, err := store.CheckLedger(ctx, c.Database, c.Zone)
	if fault, ok := errors.AsType[*agent.LedgerFault](err); ok {
		return p.broken(fault)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "ok: %d entries, %d calls of %d runs, %d tokens, %d micro-USD, %d budget accounts, %d reservations open\n",
		report.Entries, report.Calls, report.Runs, report.Tokens, report.Micros, report.Accounts, report.Open)
	return err
}
