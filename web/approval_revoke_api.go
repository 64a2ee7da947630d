package web

import "github.com/labstack/echo/v4"

// approvalRevokeAPI is POST /api/v1/approvals/{id}/revoke.
func (s *apiApprovals) approvalRevokeAPI(c echo.Context) error {
	return s.changeCardAPI(c, s.Desk.Revoke)
}
