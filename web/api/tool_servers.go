package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

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
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, server)
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
