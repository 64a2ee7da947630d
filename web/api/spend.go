package api

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// Spend answers the calls about spend.
type Spend struct {
	Store      service.LedgerStore
	Clock      agent.Clock
	Visibility *request.Visibility
}

// List is GET /api/v1/spend: the ledger summed by ?group=, between the
// days ?from= and ?to=, as JSON or, with Accept: text/csv, as CSV. Admins see
// everybody's, others their own.
func (s *Spend) List(c echo.Context) error {
	q, err := request.SpendQuery(s.Clock, s.Visibility, c)
	if err != nil {
		return err
	}
	rows, err := s.Store.Spend(c.Request().Context(), q)
	if err != nil {
		return err
	}
	if s.Visibility.TokensOnly(request.Viewer(c)) {
		for i := range rows {
			rows[i].CostMicros = 0
		}
	}
	if strings.Contains(c.Request().Header.Get(echo.HeaderAccept), "text/csv") || c.QueryParam("format") == "csv" {
		return request.WriteSpendCSV(c, q.Group, rows)
	}
	return c.JSON(http.StatusOK, request.Listing[agent.SpendRow]{Items: rows})
}
