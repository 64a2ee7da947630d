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

// ListServers is GET /api/v1/mcp/servers.
func (s *Tools) ListServers(c echo.Context) error {
	return c.JSON(http.StatusOK, request.Listing[agent.ToolServer]{Items: s.Servers.ToolServers()})
}

// AcceptServer is POST /api/v1/mcp/servers/{name}/accept. With seen it takes what
// was shown and nothing newer.
func (s *Tools) AcceptServer(c echo.Context) error {
	seen, err := seenIn(c)
	if err != nil {
		return err
	}
	server, err := s.Servers.AcceptTools(c.Request().Context(), request.Viewer(c), c.Param("name"), seen)
	return answer(c, http.StatusOK, server, err)
}

// seenIn is what the admin was shown, "" for whatever is held back.
func seenIn(c echo.Context) (string, error) {
	var in struct {
		Seen string `json:"seen"`
	}
	if c.Request().ContentLength == 0 {
		return "", nil
	}
	err := request.ReadJSON(c, &in)
	return in.Seen, err
}

// ListOpenAPI is GET /api/v1/openapi/sources.
func (s *Tools) ListOpenAPI(c echo.Context) error {
	return c.JSON(http.StatusOK, request.Listing[agent.OpenAPISource]{Items: s.OpenAPI.OpenAPISources()})
}

// AcceptOpenAPI is POST /api/v1/openapi/sources/{name}/accept.
func (s *Tools) AcceptOpenAPI(c echo.Context) error {
	seen, err := seenIn(c)
	if err != nil {
		return err
	}
	source, err := s.OpenAPI.AcceptOpenAPI(c.Request().Context(), request.Viewer(c), c.Param("name"), seen)
	return answer(c, http.StatusOK, source, err)
}

// UploadOpenAPI is POST /api/v1/openapi/sources/{name}/document.
func (s *Tools) UploadOpenAPI(c echo.Context) error {
	document, err := request.DocumentOf(c)
	if err != nil {
		return err
	}
	source, err := s.OpenAPI.UploadOpenAPI(c.Request().Context(), request.Viewer(c), c.Param("name"), document)
	return answer(c, http.StatusOK, source, err)
}

// ListPrompts is GET /api/v1/mcp/prompts.
func (s *Tools) ListPrompts(c echo.Context) error {
	return c.JSON(http.StatusOK, s.Servers.Prompts(c.Request().Context(), request.Viewer(c)))
}

// GetPrompt is POST /api/v1/mcp/prompts/get: a server writes a prompt.
func (s *Tools) GetPrompt(c echo.Context) error {
	var in struct {
		Server    string            `json:"server"`
		Name      string            `json:"name"`
		Arguments map[string]string `json:"arguments"`
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	if err := request.NamedPrompt(in.Server, in.Name); err != nil {
		return err
	}
	text, err := s.Servers.Prompt(c.Request().Context(), request.Viewer(c), in.Server, in.Name, in.Arguments)
	return answer(c, http.StatusOK, map[string]string{"text": text}, err)
}
