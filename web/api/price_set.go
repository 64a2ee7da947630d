package api

import (
	"fusebox/agent/service"
	"fusebox/web/request"
	"net/http"

	"github.com/labstack/echo/v4"
)

// Set is PUT /api/v1/prices: what a model costs from a day on.
func (s *Prices) Set(c echo.Context) error {
	var in service.PriceInput
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	row, err := s.Service.Prices.Set(c.Request().Context(), request.Viewer(c), in)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, viewPrice(row))
}
