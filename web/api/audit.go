package api

import (
	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// Audit answers the calls about audit.
type Audit struct {
	Store service.Store
}

// List is GET /api/v1/audit, newest first, with the filter of the page.
func (s *Audit) List(c echo.Context) error {
	f, err := request.AuditFilter(c.QueryParams())
	if err != nil {
		return err
	}
	return listPage(c, func(p agent.Page) ([]agent.AuditRow, string, error) {
		return s.Store.AuditRows(c.Request().Context(), f, p)
	}, asIs)
}

// Ledger is GET /api/v1/ledger: the rows of the double entry, oldest first,
// of one run (?run=) or of all, for admins.
func (s *Audit) Ledger(c echo.Context) error {
	return listPage(c, func(p agent.Page) ([]agent.LedgerEntry, string, error) {
		return s.Store.Ledger(c.Request().Context(), c.QueryParam("run"), p)
	}, asIs)
}
