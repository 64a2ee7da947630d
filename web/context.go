package web

import (
	"strconv"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// The keys of what middleware puts into a request's context.
const (
	viewerKey     = "viewer"
	bearerKey     = "bearer"
	credentialKey = "credential"
)

// viewerOf returns who asks; its zero value is a stranger.
func viewerOf(c echo.Context) agent.Viewer {
	v, _ := c.Get(viewerKey).(agent.Viewer)
	return v
}

// setViewer says who asks.
func setViewer(c echo.Context, v agent.Viewer) {
	c.Set(viewerKey, v)
	c.SetRequest(c.Request().WithContext(agent.WithViewer(c.Request().Context(), v)))
}

// setBearer says that the request came with an API token.
func setBearer(c echo.Context) { c.Set(bearerKey, true) }

// setCredential says what the request came with.
func setCredential(c echo.Context, by credential) { c.Set(credentialKey, by) }

// byBearer reports whether the request came with an API token.
func byBearer(c echo.Context) bool {
	b, _ := c.Get(bearerKey).(bool)
	return b
}

// credential is what a request proves its viewer by: an API token, of which
// the hash is kept, or a session.
type credential struct {
	token   []byte
	session string
}

// credentialOf returns what the request came with.
func credentialOf(c echo.Context) credential {
	by, _ := c.Get(credentialKey).(credential)
	return by
}

// placeOf says where a request comes from: by a session or a token, and the
// connection's address. What headers say of it counts for nothing.
func placeOf(c echo.Context, token string) string {
	if byBearer(c) {
		return "token " + strconv.Quote(token) + " " + c.RealIP()
	}
	return "session " + c.RealIP()
}
