package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// priceRemove is DELETE /api/v1/prices?model=&provider=&validFrom=: from that
// day on, today where none is named, nobody knows the model's price.
func (s *apiPrices) priceRemove(c echo.Context) error {
	if _, err := s.Service.Prices.Remove(c.Request().Context(), viewerOf(c), c.QueryParam("provider"), c.QueryParam("model"), c.QueryParam("validFrom")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
