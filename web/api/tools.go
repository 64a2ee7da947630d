package api

import (
	"encoding/json"
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// Tools answers the calls about tools.
type Tools struct {
	Tools   agent.Toolbox
	Servers service.ToolServers
	OpenAPI service.OpenAPISources
}

// toolView is a tool as the API shows it.
type toolView struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Effect      agent.Effect    `json:"effect"`
	Risk        agent.Risk      `json:"risk"`
	Polling     bool            `json:"polling"`
	Idempotent  bool            `json:"idempotent"`
	Source      string          `json:"source"`
	Set         string          `json:"set"`
}

// List is GET /api/v1/tools.
func (s *Tools) List(c echo.Context) error {
	views := []toolView{}
	role := request.Viewer(c).Role
	for _, t := range s.Tools.Specs() {
		if role != agent.RoleAdmin && !t.MayBeUsedBy(role) {
			continue
		}
		views = append(views, toolView{
			Name: t.Name, Description: t.Description, Parameters: t.Parameters, Effect: t.Effect,
			Risk: t.Risk, Polling: t.Polling, Idempotent: t.Idempotent, Source: t.Source, Set: t.SetName(),
		})
	}
	return c.JSON(http.StatusOK, request.Listing[toolView]{Items: views})
}
