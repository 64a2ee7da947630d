package web

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"fusebox/agent"
	"fusebox/web/mcp"
	"fusebox/web/request"
)

// maxBody bounds what a request may send, maxListBody what an admin may send as
// a list of prices, formRoom what a form with a file may have beside it.
const (
	maxBody     = "2M"
	maxListBody = "16M"
	formRoom    = 1 << 20
)

// uploadTime is how long a document may take to arrive: 50 MB at half a megabit a second.
const uploadTime = 15 * time.Minute

// importTime is how long an import may take to arrive: 1 GB at two megabits a second.
const importTime = 70 * time.Minute

// bounded limits a request's body by where it goes and who sends it.
func (s *Server) bounded(next echo.HandlerFunc) echo.HandlerFunc {
	usual, list := middleware.BodyLimit(maxBody)(next), middleware.BodyLimit(maxListBody)(next)
	file := middleware.BodyLimit(fmt.Sprintf("%dB", s.FileLimits.File+formRoom))(next)
	openAPI := middleware.BodyLimit(fmt.Sprintf("%dB", agent.MaxOpenAPIDocument+formRoom))(next)
	document := middleware.BodyLimit(fmt.Sprintf("%dB", agent.MaxDocumentBytes+formRoom))(next)
	imported := middleware.BodyLimit(fmt.Sprintf("%dB", agent.MaxImportBytes+formRoom))(next)
	return func(c echo.Context) error {
		path, isForm := c.Request().URL.Path, strings.HasPrefix(c.Request().Header.Get("Content-Type"), "multipart/")
		known, admin := request.Viewer(c).UserID != "", request.Viewer(c).Role == agent.RoleAdmin
		shelf := strings.TrimPrefix(path, "/api/v1")
		switch {
		case known && isForm && (path == "/documents/import" || path == "/api/v1/imports"):
			// A server without connections to give time to, as in tests, bounds none.
			_ = http.NewResponseController(c.Response()).SetReadDeadline(time.Now().Add(importTime))
			return imported(c)
		case known && strings.HasSuffix(path, "/files"):
			return file(c)
		case admin && strings.HasSuffix(path, "/document"):
			return openAPI(c)
		case known && isForm && (shelf == "/documents" || strings.HasPrefix(shelf, "/documents/") && strings.HasSuffix(shelf, "/file")):
			_ = http.NewResponseController(c.Response()).SetReadDeadline(time.Now().Add(uploadTime))
			return document(c)
		case admin && (path == request.PriceListPage || path == request.PriceListCall):
			return list(c)
		default:
			return usual(c)
		}
	}
}

// use installs what every request passes, in this order.
func (s *Server) use() {
	s.echo.Pre(s.logged, s.headers, s.below, s.spoken, s.knownHost)
	s.echo.Use(
		middleware.GzipWithConfig(middleware.GzipConfig{Skipper: uncompressed, MinLength: 1024}),
		s.sessions.WithSession, s.withViewer, newFairRequests(s.RequestsPerSecond, s.Clock).limit, s.bounded, s.sameOrigin,
	)
}

// uncompressed reports whether a response must not be buffered, as sockets, event logs, and files,
// or is hardly long: a compressor takes most of a megabyte even where the answer turns
// out to be too short for it, as answers to what changes something do.
func uncompressed(c echo.Context) bool {
	path := c.Request().URL.Path
	return c.Request().Method != http.MethodGet || strings.HasPrefix(path, "/ws/") || strings.HasSuffix(path, "/events") || path == mcp.Path ||
		strings.HasPrefix(path, "/api/v1/documents/") && strings.HasSuffix(path, "/file") ||
		strings.HasPrefix(path, "/api/v1/conversations/") && (strings.Contains(path, "/files/") || strings.HasSuffix(path, "/files.zip"))
}

// logged writes one line for each request. Paths are written without secrets, queries
// are left out.
func (s *Server) logged(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := s.Clock.Now()
		id := s.NewID()
		if s.TrustedProxies.Overlooked(c.Request()) {
			s.overlooked.Do(func() {
				s.Logger.Warn("a proxy is not in server.trusted_proxies: all who come through it share its address, and its throttle", "proxy", c.RealIP())
			})
		}
		c.Response().Header().Set(echo.HeaderXRequestID, id)
		s.answer(c, next)
		level := slog.LevelDebug
		if c.Response().Status >= http.StatusInternalServerError {
			level = slog.LevelWarn
		}
		s.Logger.Log(c.Request().Context(), level, "request", "request_id", id, "method", c.Request().Method,
			"path", request.LoggedPath(c), "status", c.Response().Status, "address", c.RealIP(), "user_id", request.Viewer(c).UserID,
			"ms", s.Clock.Now().Sub(start).Milliseconds())
		return nil
	}
}

// answer runs a request. What fails or panics on the way, in a handler or in any
// middleware, is answered, and a panic is logged; so is one of the answer itself.
func (s *Server) answer(c echo.Context, next echo.HandlerFunc) {
	path := request.LoggedPath(c)
	err := request.Caught(s.Logger, path, func() error { return next(c) })
	if err == nil {
		return
	}
	again := request.Caught(s.Logger, path, func() error { s.handleError(err, c); return nil })
	if again != nil {
		s.answerPlainly(c, again)
	}
}

// below answers at the path of server.url, and sends people there.
func (s *Server) below(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, h := c.Request(), c.Response().Header()
		c.Response().Before(func() {
			if to := h.Get(echo.HeaderLocation); to != "" {
				h.Set(echo.HeaderLocation, s.address.Link(to))
			}
		})
		if s.address.IsRoot(r) {
			return c.Redirect(http.StatusPermanentRedirect, "/")
		}
		s.address.Strip(r)
		return next(c)
	}
}

const contentSecurityPolicy = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// headers are on every response, errors included. Scripts and styles shorten them.
func (s *Server) headers(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set("Content-Security-Policy", contentSecurityPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		if s.address.HTTPS() {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if strings.HasPrefix(c.Request().URL.Path, "/api/") {
			h.Set("Cache-Control", "no-store") // no data stays in a browser after signing out
		}
		return next(c)
	}
}

// knownHost refuses requests under names that are not ours: with DNS rebinding
// a foreign page reaches a local server under the foreign page's own name. An
// address is no name and cannot be rebound.
func (s *Server) knownHost(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		host, path := askedHost(c.Request()), c.Request().URL.Path
		known := path == healthPath || path == readyPath || host == "localhost" || net.ParseIP(host) != nil ||
			slices.ContainsFunc(s.Hosts, func(h string) bool { return strings.EqualFold(h, host) })
		if !known {
			return agent.Errorf(agent.Forbidden, "This server is not reached under the name %q. An admin can allow it with server.hosts.", host)
		}
		return next(c)
	}
}
