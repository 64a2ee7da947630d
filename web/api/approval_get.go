package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/web/request"
)

// Get is GET /api/v1/approvals/{id}.
func (s *Approvals) Get(c echo.Context) error {
	a, err := s.Store.Approval(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, s.view(request.Viewer(c), *a))
}
