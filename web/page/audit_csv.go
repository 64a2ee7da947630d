package page

import (
	"encoding/csv"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// csvBatch is how many rows are read at once: a reader that takes its time must
// not hold the database.
const csvBatch = 200

// CSV is what the filter leaves as a file, newest first, whole.
func (s *Audit) CSV(c echo.Context) error {
	ctx := c.Request().Context()
	f, err := request.AuditFilter(c.QueryParams())
	if err != nil {
		return err
	}
	rows, next, err := s.Store.AuditRows(ctx, f, agent.Page{Limit: csvBatch})
	if err != nil {
		return err
	}
	res := c.Response()
	res.Header().Set(echo.HeaderContentType, "text/csv; charset=utf-8")
	res.Header().Set(echo.HeaderContentDisposition, `attachment; filename="fusebox-audit.csv"`)
	res.Header().Set("Cache-Control", "no-store")
	res.WriteHeader(http.StatusOK)
	w := csv.NewWriter(res)
	if err := w.Write([]string{"seq", "id", "at", "actor", "role", "action", "target", "place", "shown", "detail", "before", "hash"}); err != nil {
		return err
	}
	for {
		for _, r := range rows {
			if err := w.Write(auditRecord(r)); err != nil {
				return err
			}
		}
		if w.Flush(); w.Error() != nil || next == "" {
			return w.Error()
		}
		if rows, next, err = s.Store.AuditRows(ctx, f, agent.Page{Limit: csvBatch, Cursor: next}); err != nil {
			return err
		}
	}
}

// auditRecord is a row of the file. A text that a spreadsheet would take for a
// formula is kept from being one.
func auditRecord(r agent.AuditRow) []string {
	record := []string{
		strconv.FormatInt(r.Seq, 10), r.ID, r.At.UTC().Format(agent.TimeFormat), r.Actor, string(r.Role), r.Action, r.Target,
		r.Place, r.Shown, r.Detail, r.Before, r.Hash,
	}
	for i := range record {
		record[i] = request.NoFormula(record[i])
	}
	return record
}
