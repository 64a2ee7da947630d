package store

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// AuditLog records who did what, in a chain of rows in which a change or a gap shows.
type AuditLog struct{ *core }

// Audit adds a line to the audit log.
func (s *AuditLog) Audit(ctx context.Context, row agent.AuditRow) error {
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error { return insertAudit(t, row) })
}

// AuditRows lists what a filter leaves of the audit log, newest first.
func (s *AuditLog) AuditRows(ctx context.Context, f agent.AuditFilter, p agent.Page) ([]agent.AuditRow, string, error) {
	from, err := cursorOf(p, newestFirst)
	if err != nil {
		return nil, "", err
	}
	w := &where{}
	w.Also(`seq > 0`) // which is what the index covers
	w.And(`seq < `, from.at, ``)
	w.audit(f)
	limit := limitOf(p)
	query := w.Param(`SELECT `+auditColumns+` FROM audit `+w.String()+` ORDER BY seq DESC LIMIT `, limit+1)
	items, err := sqlite.List(ctx, s.db, scanAudit, query, w.Args...)
	return page(items, err, limit, func(r agent.AuditRow) cursor { return cursor{at: r.Seq, id: r.ID} })
}

// audit adds what a filter of the audit log names.
func (w *where) audit(f agent.AuditFilter) {
	w.AndIf(f.Actor != "", `actor = `, normalEmail(f.Actor))
	if f.Action != "" {
		w.And(`action >= `, f.Action, ``)
		w.And(`action < `, f.Action+"\U0010ffff", ``)
	}
	w.AndIf(f.Target != "", `target = `, f.Target)
	w.AndIf(!f.From.IsZero(), `at >= `, sqlite.MS(f.From))
	w.AndIf(!f.To.IsZero(), `at < `, sqlite.MS(f.To))
	if f.Search != "" {
		w.And(`LOWER(target || ' ' || place || ' ' || detail) LIKE `, containing(f.Search), ` ESCAPE '!'`)
	}
}

const auditColumns = `seq, id, at, actor, role, action, target, place, shown, detail, before_hash, hash`

func scanAudit(r sqlite.Scanner) (row agent.AuditRow, err error) {
	err = r.Scan(&row.Seq, &row.ID, sqlite.Time(&row.At), &row.Actor, &row.Role, &row.Action, &row.Target, &row.Place, &row.Shown,
		&row.Detail, &row.Before, &row.Hash)
	return row, err
}

// insertAudit adds a row to the end of the chain. The end is read within the
// writing transaction: another process may have written since.
func insertAudit(t *sqlite.Tx, row agent.AuditRow) error {
	head, err := auditHead(t)
	if err != nil {
		return err
	}
	row.At = sqlite.FromMS(sqlite.MS(row.At)) // hashed as it is stored
	row = row.After(head)
	_, err = t.Exec(`INSERT INTO audit (`+auditColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		row.Seq, row.ID, sqlite.MS(row.At), row.Actor, row.Role, row.Action, row.Target, row.Place, row.Shown, row.Detail, row.Before, row.Hash)
	return err
}

// auditHead is the newest row's place in the chain, zero where there is none.
func auditHead(t *sqlite.Tx) (head agent.AuditRow, err error) {
	err = t.Row(`SELECT seq, hash FROM audit WHERE seq > 0 ORDER BY seq DESC LIMIT 1`).Scan(&head.Seq, &head.Hash)
	return head, sqlite.OrNone(err)
}

// addAudit adds a line about what actor does, "" for the person in ctx. That
// person's role and place are in the context.
func addAudit(ctx context.Context, t *sqlite.Tx, actor, action, target, detail string) error {
	v := agent.ViewerIn(ctx)
	row := agent.AuditRow{
		ID: t.NewID(), At: t.Clock.Now(), Actor: cmp.Or(actor, v.Email), Action: action, Target: target, Detail: detail,
	}
	if row.Actor == v.Email {
		row.Role, row.Place = v.Role, v.Place
	}
	return insertAudit(t, row)
}

// audited makes a change and its line in the audit log, both or none. The detail
// is read after the change, which may fill it; actor "" is the person in ctx.
func (c *core) audited(ctx context.Context, actor, action, target string, detail any, change func(*sqlite.Tx) error) error {
	return c.db.Write(ctx, true, func(t *sqlite.Tx) error {
		if err := change(t); err != nil {
			return err
		}
		text, err := toJSON(detail)
		if err != nil {
			return err
		}
		return addAudit(ctx, t, actor, action, target, text)
	})
}

// CheckAudit walks the whole chain of a database, which a server may be writing
// to. It opens the database for itself and changes nothing, not even what a
// start would: rows outside the chain are a finding. What is wrong with the
// chain is an *agent.AuditFault.
func CheckAudit(ctx context.Context, path string, check *agent.AuditCheck) error {
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("database %s cannot be read: %w", path, err)
	}
	db, err := sqlite.Connect(path, "_query_only=1", 1)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	var chained bool
	err = db.QueryRowContext(ctx, `SELECT COUNT(*) > 0 FROM pragma_table_info('audit') WHERE name = 'hash'`).Scan(&chained)
	if err != nil {
		return fmt.Errorf("read database %s: %w", path, err)
	}
	if !chained {
		return fmt.Errorf("the audit log in %s has no chain yet: start this version of the server once", path)
	}
	return walkAudit(ctx, db, check)
}

// CheckAudit walks the newest rows of the chain, at most so many, and returns the
// last one that was right and what is wrong, an *agent.AuditFault.
func (s *AuditLog) CheckAudit(ctx context.Context, newest int64) (agent.AuditRow, error) {
	var check agent.AuditCheck
	head, err := s.AuditHead(ctx)
	if err != nil {
		return head, err
	}
	before := head.Seq - newest
	if before > 0 {
		start, err := scanAudit(s.db.QueryRowContext(ctx, `SELECT `+auditColumns+` FROM audit WHERE seq = $1 AND seq > 0`, before))
		if err != nil {
			return start, sqlite.NotFound(err, "Row %d of the audit log is missing.", before)
		}
		check.StartAt(start)
	}
	err = walkAudit(ctx, s.db, &check)
	return check.Last(), err
}

// AuditHead is the newest row of the chain, zero where there is none.
func (s *AuditLog) AuditHead(ctx context.Context) (agent.AuditRow, error) {
	row, err := scanAudit(s.db.QueryRowContext(ctx, `SELECT `+auditColumns+` FROM audit WHERE seq > 0 ORDER BY seq DESC LIMIT 1`))
	return row, sqlite.OrNone(err)
}

// walkAudit hands the rows behind the check's last one over in their order, and
// then those that are outside the chain. Memory does not depend on how many there are.
func walkAudit(ctx context.Context, from sqlite.Reader, check *agent.AuditCheck) error {
	for _, query := range []string{
		`SELECT ` + auditColumns + ` FROM audit WHERE seq > $1 AND seq > 0 ORDER BY seq`,
		`SELECT ` + auditColumns + ` FROM audit WHERE seq <= 0 AND seq <= $1 LIMIT 1`,
	} {
		if err := walkRows(ctx, from, check, query); err != nil {
			return err
		}
	}
	return check.End()
}

func walkRows(ctx context.Context, from sqlite.Reader, check *agent.AuditCheck, query string) error {
	rows, err := from.QueryContext(ctx, query, check.Last().Seq)
	if err != nil {
		return fmt.Errorf("read the audit log: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		row, err := scanAudit(rows)
		if err != nil {
			return fmt.Errorf("read the audit log: %w", err)
		}
		if err := check.Next(row); err != nil {
			return err
		}
	}
	return rows.Err()
}

// chainBatch bounds how many older rows one transaction puts into the chain.
const chainBatch = 500

// chainOldRows puts the rows from before the chain into it, in the order of
// their ids, and returns how many there were. Two processes may do so at once:
// each batch reads and writes within one transaction.
func (s *AuditLog) chainOldRows(ctx context.Context) (int, error) {
	total := 0
	for {
		n := 0
		err := s.db.Write(ctx, true, func(t *sqlite.Tx) (err error) {
			n, err = chainSome(t)
			return err
		})
		total += n
		if err != nil {
			return total, fmt.Errorf("put older audit rows into the chain: %w", err)
		}
		if n < chainBatch {
			return total, nil
		}
	}
}

// chainSome is chainOldRows for a batch.
func chainSome(t *sqlite.Tx) (int, error) {
	rows, err := sqlite.ListIn(t, scanAudit, `SELECT `+auditColumns+` FROM audit WHERE hash = '' ORDER BY id LIMIT $1`, chainBatch)
	if err != nil {
		return 0, err
	}
	last, err := auditHead(t)
	if err != nil {
		return 0, err
	}
	for _, row := range rows {
		row = row.After(last)
		if _, err := t.Exec(`UPDATE audit SET seq = $1, before_hash = $2, hash = $3 WHERE id = $4 AND hash = ''`,
			row.Seq, row.Before, row.Hash, row.ID); err != nil {
			return 0, err
		}
		last = row
	}
	return len(rows), nil
}
