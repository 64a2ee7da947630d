package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// priceRemove is DELETE /api/v1/prices?model=&provider=&validFrom=: from that
// day on, today where none is named, nobody knows the model's price.
func (s *Server) priceRemove(c echo.Context) error {
	if _, err := s.removePrice(c, c.QueryParam("provider"), c.QueryParam("model"), c.QueryParam("validFrom")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// removePrice takes a price back.
func (s *Server) removePrice(c echo.Context, provider, model, day string) (agent.PriceRow, error) {
	row, err := s.priceRow(c, provider, model, day)
	if err != nil {
		return row, err
	}
	row.Source = "taken back by " + row.CreatedBy
	return row, s.savePrice(c, row)
}
