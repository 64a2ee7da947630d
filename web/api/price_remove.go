package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/web/request"
)

// Remove is DELETE /api/v1/prices?model=&provider=&validFrom=: from that
// day on, today where none is named, nobody knows the model's price.
func (s *Prices) Remove(c echo.Context) error {
	if _, err := s.Service.Prices.Remove(c.Request().Context(), request.Viewer(c), c.QueryParam("provider"), c.QueryParam("model"), c.QueryParam("validFrom")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
