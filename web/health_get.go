package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// healthGet is GET /healthz: the process answers.
func (s *Server) healthGet(c echo.Context) error {
	return c.JSON(http.StatusOK, map[string]string{"status": "ok", "version": s.Version})
}

// readyGet is GET /readyz: the database answers, with this program's schema.
func (s *Server) readyGet(c echo.Context) error {
	if err := s.Store.Ready(c.Request().Context()); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string]string{"status": "ready"})
}
