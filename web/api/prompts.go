package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/web/request"
)

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
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string]string{"text": text})
}
