package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// DecideMany is POST /api/v1/approvals/bulk. It answers with a result for
// each approval, in the order of the list; one that fails fails alone.
func (s *Approvals) DecideMany(c echo.Context) error {
	var in struct {
		Decision agent.Verb         `json:"decision"`
		Comment  string             `json:"comment"`
		Items    []service.BulkItem `json:"items"`
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	results, err := s.Desk.DecideMany(c.Request().Context(), request.Viewer(c), in.Items, in.Decision, in.Comment)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string]any{"results": results})
}
