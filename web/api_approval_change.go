package web

import (
	"context"
	"fusebox/agent"
	"net/http"

	"github.com/labstack/echo/v4"
)

func (s *apiApprovals) changeCardAPI(c echo.Context, change func(ctx context.Context, v agent.Viewer, approvalID string) (*agent.Approval, error)) error {
	a, err := change(c.Request().Context(), viewerOf(c), c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, s.approvalJSON(viewerOf(c), *a))
}
