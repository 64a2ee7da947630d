package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"

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
	w.also(`seq > 0`) // which is what the index covers
	w.and(`seq < `, from.at, ``)
	w.audit(f)
	limit := limitOf(p)
	query := w.param(`SELECT `+auditColumns+` FROM audit `+w.String()+` ORDER BY seq DESC LIMIT `, limit+1)
	items, err := sqlite.List(ctx, s.db, scanAudit, query, w.args...)
	if err != nil {
		return nil, "", err
	}
	items, next := page(items, limit, func(r agent.AuditRow) cursor { return cursor{at: r.Seq, id: r.ID} })
	return items, next, nil
}

// audit adds what a filter of the audit log names.
func (w *where) audit(f agent.AuditFilter) {
	if f.Actor != "" {
		w.and(`actor = `, normalEmail(f.Actor), ``)
	}
	if f.Action != "" {
		w.and(`action >= `, f.Action, ``)
		w.and(`action < `, f.Action+"\U0010ffff", ``)
	}
	if f.Target != "" {
		w.and(`target = `, f.Target, ``)
	}
	if !f.From.IsZero() {
		w.and(`at >= `, sqlite.MS(f.From), ``)
	}
	if !f.To.IsZero() {
		w.and(`at < `, sqlite.MS(f.To), ``)
	}
	if f.Search != "" {
		w.and(`LOWER(target || ' ' || place || ' ' || detail) LIKE `, containing(f.Search), ` ESCAPE '!'`)
	}
}

const auditColumns = `seq, id, at, actor, role, action, target, place, shown, detail, before_hash, hash`

func scanAudit(r sqlite.Scanner) (agent.AuditRow, error) {
	var row agent.AuditRow
	var at int64
	err := r.Scan(&row.Seq, &row.ID, &at, &row.Actor, &row.Role, &row.Action, &row.Target, &row.Place, &row.Shown,
		&row.Detail, &row.Before, &row.Hash)
	row.At = sqlite.FromMS(at)
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
func auditHead(t *sqlite.Tx) (agent.AuditRow, error) {
	var head agent.AuditRow
	err := t.Row(`SELECT seq, hash FROM audit WHERE seq > 0 ORDER BY seq DESC LIMIT 1`).Scan(&head.Seq, &head.Hash)
	if errors.Is(err, sql.ErrNoRows) {
		return head, nil
	}
	return head, err
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
