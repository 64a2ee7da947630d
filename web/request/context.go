package request

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
	grantKey      = "grant"
)

// Viewer returns who asks; its zero value is a stranger.
func Viewer(c echo.Context) agent.Viewer {
	v, _ := c.Get(viewerKey).(agent.Viewer)
	return v
}

// SetViewer says who asks.
func SetViewer(c echo.Context, v agent.Viewer) {
	c.Set(viewerKey, v)
	c.SetRequest(c.Request().WithContext(agent.WithViewer(c.Request().Context(), v)))
}

// SetBearer says that the request came with an API token.
func SetBearer(c echo.Context) { c.Set(bearerKey, true) }

// SetCredential says what the request came with.
func SetCredential(c echo.Context, by Credential) { c.Set(credentialKey, by) }

// ByBearer reports whether the request came with an API token.
func ByBearer(c echo.Context) bool {
	b, _ := c.Get(bearerKey).(bool)
	return b
}

// Credential is what a request proves its viewer by: an API token, of which
// the hash is kept, or a session.
type Credential struct {
	Token   []byte
	Session string
}

// CredentialOf returns what the request came with.
func CredentialOf(c echo.Context) Credential {
	by, _ := c.Get(credentialKey).(Credential)
	return by
}

// PlaceOf says where a request comes from: by a session or a token, and the
// connection's address. What headers say of it counts for nothing.
func PlaceOf(c echo.Context, token string) string {
	if ByBearer(c) {
		return "token " + strconv.Quote(token) + " " + c.RealIP()
	}
	return "session " + c.RealIP()
}

// Grant is what a request may do: what the role of its account allows, as far as its
// API token goes. A session has no token, and no such bounds.
type Grant struct {
	Role  agent.Role
	Token *agent.Token
}

// GrantOf returns what a request may do; the zero value is a stranger's.
func GrantOf(c echo.Context) Grant {
	g, _ := c.Get(grantKey).(Grant)
	return g
}

// SetGrant says what a request may do.
func SetGrant(c echo.Context, g Grant) { c.Set(grantKey, g) }

// Needs is an error where the request's token lacks a scope.
func (g Grant) Needs(s agent.TokenScope) error {
	if g.Token == nil || g.Token.Scopes.Has(s) {
		return nil
	}
	return &MissingScope{s, agent.Errorf(agent.Forbidden, "This token lacks the scope %q. Use one that has it.", string(s))}
}

// MissingScope refuses a request whose token is not made for it.
type MissingScope struct {
	Scope agent.TokenScope
	Err   *agent.Error
}

func (m *MissingScope) Error() string { return m.Err.Error() }

func (m *MissingScope) Unwrap() error { return m.Err }
