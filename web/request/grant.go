package request

import (
	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

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
