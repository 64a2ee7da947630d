package web

import (
	"fusebox/agent/service"
	"net/http"

	"github.com/labstack/echo/v4"
)

// priceSet is PUT /api/v1/prices: what a model costs from a day on.
func (s *apiPrices) priceSet(c echo.Context) error {
	var in service.PriceInput
	if err := readJSON(c, &in); err != nil {
		return err
	}
	row, err := s.Service.Prices.Set(c.Request().Context(), viewerOf(c), in)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, viewPrice(row))
}
