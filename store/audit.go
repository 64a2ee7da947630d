package store

import (
	"context"

	"fusebox/agent"
)

// AuditLog records who did what, in a chain of rows in which a change or a gap shows.
type AuditLog struct{ *core }

// Audit adds a line to the audit log.
func (s *AuditLog) Audit(ctx context.Context, row agent.AuditRow) error {
	return s.write.do(ctx, true, func(t *tx) error { return insertAudit(t, row) })
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
	items, err := list(ctx, s.read, scanAudit, query, w.args...)
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
		w.and(`at >= `, ms(f.From), ``)
	}
	if !f.To.IsZero() {
		w.and(`at < `, ms(f.To), ``)
	}
	if f.Search != "" {
		w.and(`LOWER(target || ' ' || place || ' ' || detail) LIKE `, containing(f.Search), ` ESCAPE '!'`)
	}
}
