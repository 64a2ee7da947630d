package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// ledgerList is GET /api/v1/ledger: the rows of the double entry, oldest first,
// of one run (?run=) or of all, for admins.
func (s *apiAudit) ledgerList(c echo.Context) error {
	p, err := pageOf(c)
	if err != nil {
		return err
	}
	rows, next, err := s.Store.Ledger(c.Request().Context(), c.QueryParam("run"), p)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, listing[agent.LedgerEntry]{rows, next})
}
