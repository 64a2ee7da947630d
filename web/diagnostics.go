package web

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/http/pprof"
	"strings"

	"github.com/labstack/echo/v4"
)

// mayScrape reports whether a request has the token for metrics. Where it comes from
// proves nothing: what a plain proxy forwards looks as if it were made on this machine.
func (s *Server) mayScrape(c echo.Context) bool {
	scheme, token, _ := strings.Cut(c.Request().Header.Get(echo.HeaderAuthorization), " ")
	return s.MetricsToken != "" && strings.EqualFold(scheme, "Bearer") &&
		subtle.ConstantTimeCompare([]byte(strings.TrimSpace(token)), []byte(s.MetricsToken)) == 1
}

// isLocal reports whether a request was made on this machine, by the address of
// the connection's peer. A proxy that runs here makes all its requests from loopback: what it forwards is
// not local. It is told by its headers, or by the name it was asked under.
func isLocal(c echo.Context) bool {
	r := c.Request()
	for name := range r.Header {
		if name == "Via" || strings.Contains(name, "Forwarded") || strings.HasSuffix(name, "-Ip") {
			return false // X-Forwarded-For, X-Real-IP, CF-Connecting-IP, True-Client-IP and their kind
		}
	}
	peer, _, err := net.SplitHostPort(r.RemoteAddr)
	return err == nil && isLoopback(peer) && isLoopback(askedHost(r))
}

// askedHost is the name that a request was made to, without its port.
func askedHost(r *http.Request) string {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

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
