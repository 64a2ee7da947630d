package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/live"
	"fusebox/web/mcp"
	"fusebox/web/request"
)

// handleError answers a request that failed: programs get a problem document,
// people a page.
func (s *Server) handleError(err error, c echo.Context) {
	if c.Response().Committed {
		s.Logger.Debug("response broken off", "path", request.LoggedPath(c), "error", err)
		return
	}
	if c.Request().Context().Err() != nil && errors.Is(err, context.Canceled) {
		s.Logger.Debug("the client has left", "path", request.LoggedPath(c), "error", err)
		return
	}
	if agent.CodeOf(err) == agent.Internal {
		// Once another program has taken the database away, queries fail in many ways. Report the cause.
		if gone := s.Store.FilesIntact(); gone != nil {
			err = errors.Join(gone, err)
		}
	}
	p := s.visibility.ProblemFor(c, err)
	if p.Status >= http.StatusInternalServerError && !errors.Is(err, live.ErrStopping) {
		s.Logger.Error("request failed", "method", c.Request().Method, "path", request.LoggedPath(c), "error", err)
	}
	if p.Status == http.StatusServiceUnavailable && c.Response().Header().Get("Retry-After") == "" {
		c.Response().Header().Set("Retry-After", "5")
	}
	var writeErr error
	switch {
	case isProgram(c):
		writeErr = request.WriteProblem(c, p)
	case agent.CodeOf(err) == agent.Unauthorized:
		writeErr = s.toLogin(c)
	default:
		writeErr = s.site.ErrorPage(c, err, p)
	}
	if writeErr != nil {
		s.answerPlainly(c, writeErr)
	}
}

// answerPlainly answers when rendering the error page has failed too.
func (s *Server) answerPlainly(c echo.Context, err error) {
	s.Logger.Error("answering an error failed", "path", request.LoggedPath(c), "error", err)
	if !c.Response().Committed {
		_ = c.String(http.StatusInternalServerError, agent.MessageOf(err)+"\n") // where nobody listens any more, nobody misses it
	}
}

// isProgram reports whether the answer is read by a program.
func isProgram(c echo.Context) bool {
	path := c.Request().URL.Path
	return strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/ws/") || strings.HasPrefix(path, "/static/") ||
		strings.HasPrefix(path, "/debug/") ||
		path == mcp.Path || path == healthPath || path == readyPath || path == "/metrics"
}
