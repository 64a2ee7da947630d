package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// approvalDecideAPI is POST /api/v1/approvals/{id}/decision. Who decides comes
// from the session or token, never from the body.
func (s *apiApprovals) approvalDecideAPI(c echo.Context) error {
	var in agent.Decision
	if err := readJSON(c, &in); err != nil {
		return err
	}
	a, err := s.Desk.Decide(c.Request().Context(), viewerOf(c), c.Param("id"), in)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, s.approvalJSON(viewerOf(c), *a))
}
