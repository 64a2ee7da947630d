package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// What watches the process asks under whatever name it has for the machine, so these
// are answered under any.
const (
	healthPath = "/healthz"
	readyPath  = "/readyz"
)

// healthGet is GET /healthz: the process answers.
func (s *Server) healthGet(c echo.Context) error {
	return c.JSON(http.StatusOK, map[string]string{"status": "ok", "version": s.Version})
}

// readyGet is GET /readyz: the database has this program's schema, and can be written.
func (s *Server) readyGet(c echo.Context) error {
	if err := s.ready.check(c.Request().Context()); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string]string{"status": "ready"})
}
