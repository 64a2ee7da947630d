package web

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// spendList is GET /api/v1/spend: the ledger summed by ?group=, between the
// days ?from= and ?to=, as JSON or, with Accept: text/csv, as CSV. Admins see
// everybody's, others their own.
func (s *apiSpend) spendList(c echo.Context) error {
	q, err := spendQuery(s.Clock, s.Visibility, c)
	if err != nil {
		return err
	}
	rows, err := s.Store.Spend(c.Request().Context(), q)
	if err != nil {
		return err
	}
	if s.Visibility.tokensOnly(viewerOf(c)) {
		for i := range rows {
			rows[i].CostMicros = 0
		}
	}
	if strings.Contains(c.Request().Header.Get(echo.HeaderAccept), "text/csv") || c.QueryParam("format") == "csv" {
		return writeSpendCSV(c, q.Group, rows)
	}
	return c.JSON(http.StatusOK, listing[agent.SpendRow]{Items: rows})
}
