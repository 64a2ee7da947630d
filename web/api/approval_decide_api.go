package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// Decide is POST /api/v1/approvals/{id}/decision. Who decides comes
// from the session or token, never from the body.
func (s *Approvals) Decide(c echo.Context) error {
	var in agent.Decision
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	a, err := s.Desk.Decide(c.Request().Context(), request.Viewer(c), c.Param("id"), in)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, s.view(request.Viewer(c), *a))
}
