package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// Test is POST /api/v1/policy/test: what policy says of a call, and which
// rule decides. Nothing is executed.
func (s *Policy) Test(c echo.Context) error {
	var in service.TriedCall
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	r, pattern, err := s.Service.Rules.Try(c.Request().Context(), request.Viewer(c), in)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		Action  agent.Action    `json:"action"`
		Risk    agent.Risk      `json:"risk"`
		Rule    agent.Authority `json:"rule"`
		Reason  string          `json:"reason"`
		Pattern agent.Pattern   `json:"pattern,omitempty"`
	}{r.Action, r.Risk, r.Rule, r.Reason, pattern})
}
