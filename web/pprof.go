package web

import (
	"net/http"
	"net/http/pprof"

	"github.com/labstack/echo/v4"
)

// profiles are those that are not taken of the runtime by their name.
var profiles = map[string]http.HandlerFunc{
	"cmdline": pprof.Cmdline,
	"profile": pprof.Profile,
	"symbol":  pprof.Symbol,
	"trace":   pprof.Trace,
}

// pprofGet is GET /debug/pprof/ and what is below it: profiles of this process.
// Package pprof registers its handlers on the default mux too, which is not served.
func (s *Server) pprofGet(c echo.Context) error {
	handle, ok := profiles[c.Param("profile")]
	if !ok {
		handle = pprof.Index
	}
	handle(c.Response(), c.Request())
	return nil
}
