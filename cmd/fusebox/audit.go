package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"fusebox/agent"
	"fusebox/store"
)

const auditUsage = `usage: fusebox audit verify [--head HASH] [--rows N] [flags]`

// audit is fusebox audit verify: it walks the chain of the audit log, also
// while a server writes to it, and changes nothing.
func (p process) audit(ctx context.Context, args []string) error {
	if len(args) == 0 || args[0] != "verify" {
		return usagef("%s", auditUsage)
	}
	var check agent.AuditCheck
	var rows string
	rest, err := split(args[1:], map[string]func(string){"head": once(&check.Head), "rows": once(&rows)}, nil)
	if err != nil {
		return err
	}
	c, err := p.loadAlone("audit verify", auditUsage, rest)
	if err != nil {
		return err
	}
	if rows != "" {
		if check.Rows, err = strconv.ParseInt(rows, 10, 64); err != nil || check.Rows < 0 {
			return usagef("flag --rows: %q is not allowed; allowed: the number of rows that an earlier run counted", rows)
		}
	}
	// A broken chain is an exit status of its own: what there is to say is said by then.
	err = store.CheckAudit(ctx, c.Database, &check)
	if fault, ok := errors.AsType[*agent.AuditFault](err); ok {
		return p.broken(fault)
	}
	if err != nil {
		return err
	}
	last := check.Last()
	if last.Seq == 0 {
		_, err = fmt.Fprintln(p.stdout, "ok: 0 rows")
	} else {
		_, err = fmt.Fprintf(p.stdout, "ok: %d rows, head %s (seq %d, %s)\n", last.Seq, last.Hash, last.Seq, last.At.Format(time.RFC3339))
	}
	return err
}

// broken prints what a check has found, which has an exit status of its own.
func (p process) broken(fault error) error {
	if _, err := fmt.Fprintf(p.stdout, "broken: %s\n", fault); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return errTripped
}
