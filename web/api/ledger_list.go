package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// Ledger is GET /api/v1/ledger: the rows of the double entry, oldest first,
// of one run (?run=) or of all, for admins.
func (s *Audit) Ledger(c echo.Context) error {
	p, err := request.Page(c)
	if err != nil {
		return err
	}
	rows, next, err := s.Store.Ledger(c.Request().Context(), c.QueryParam("run"), p)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, request.Listing[agent.LedgerEntry]{Items: rows, NextCursor: next})
}
