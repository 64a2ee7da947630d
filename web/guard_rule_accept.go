package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// guardRuleAccept is POST /api/v1/guards/rules/{id}/accept.
func (s *apiGuards) guardRuleAccept(c echo.Context) error {
	g, err := s.Service.Guards.AcceptRule(c.Request().Context(), viewerOf(c), c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, g)
}
