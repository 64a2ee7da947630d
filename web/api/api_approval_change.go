package api

import (
	"context"
	"fusebox/agent"
	"fusebox/web/request"
	"net/http"

	"github.com/labstack/echo/v4"
)

func (s *Approvals) change(c echo.Context, change func(ctx context.Context, v agent.Viewer, approvalID string) (*agent.Approval, error)) error {
	a, err := change(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, s.view(request.Viewer(c), *a))
}
