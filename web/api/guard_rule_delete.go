package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/web/request"
)

// DeleteRule is DELETE /api/v1/guards/rules/{id}: a rule goes out of
// force, a proposal off the list.
func (s *Guards) DeleteRule(c echo.Context) error {
	if _, err := s.Service.Guards.DismissRule(c.Request().Context(), request.Viewer(c), c.Param("id")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
