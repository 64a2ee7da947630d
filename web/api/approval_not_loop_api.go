package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/web/request"
)

// NotLoop is POST /api/v1/approvals/{id}/not-a-loop. It answers
// with the rule that is proposed, null where the card was about no call.
func (s *Approvals) NotLoop(c echo.Context) error {
	g, err := s.Service.Guards.NotLoop(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	if g.Empty() {
		return c.JSON(http.StatusOK, nil)
	}
	return c.JSON(http.StatusOK, g)
}
