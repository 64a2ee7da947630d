package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// approvalGet is GET /api/v1/approvals/{id}.
func (s *apiApprovals) approvalGet(c echo.Context) error {
	a, err := s.Store.Approval(c.Request().Context(), viewerOf(c), c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, s.approvalJSON(viewerOf(c), *a))
}
