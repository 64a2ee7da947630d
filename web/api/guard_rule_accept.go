package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/web/request"
)

// AcceptRule is POST /api/v1/guards/rules/{id}/accept.
func (s *Guards) AcceptRule(c echo.Context) error {
	g, err := s.Service.Guards.AcceptRule(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, g)
}
