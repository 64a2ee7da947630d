package web

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// access says who may use a route. The handler judges whose thing is asked for,
// in the query itself: the owner of a route says which test applies.
type access int

const (
	public    access = iota // anybody
	signedIn                // any account
	programs                // any account, by an API token
	reviewers               // reviewers and admins
	admins
	scrapers    // admins, and who has the token for metrics
	localAdmins // admins on this machine itself; to all others there is nothing
)

// guarded puts the check of a route's access in front of its handler.
func (s *Server) guarded(r route, h *handlers) echo.HandlerFunc {
	handle := r.handler(h)
	return func(c echo.Context) error {
		if r.access != public {
			if err := s.admit(c, r); err != nil {
				return err
			}
		}
		return handle(c)
	}
}

// admit refuses who has not the role that a route is for, and then a token that has not
// the scope. It goes by the role of the account, which may be more than that of the viewer.
func (s *Server) admit(c echo.Context, r route) error {
	need, grant := r.access, request.GrantOf(c)
	if need == scrapers {
		if s.mayScrape(c) {
			return nil
		}
		need = admins
	}
	if need == localAdmins {
		if !isLocal(c) {
			return echo.ErrNotFound
		}
		need = admins
	}
	switch {
	case request.Viewer(c).UserID == "", need == programs && grant.Token == nil:
		return request.ErrSignIn
	case need == admins && grant.Role != agent.RoleAdmin:
		return agent.Errorf(agent.Forbidden, "This is for admins only.")
	case need == reviewers && !grant.Role.Reviews():
		return agent.Errorf(agent.Forbidden, "This is for reviewers and admins only.")
	}
	return grant.Needs(r.scope)
}

// toLogin is where a page's visitor without a session goes: back here afterwards.
func (s *Server) toLogin(c echo.Context) error {
	n, err := s.Store.CountUsers(c.Request().Context())
	if err != nil {
		return err
	}
	if n == 0 {
		return c.Redirect(http.StatusSeeOther, "/setup")
	}
	target := "/login"
	if r := c.Request(); (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.URL.Path != "/" {
		target += "?next=" + url.QueryEscape(r.URL.RequestURI())
	}
	return c.Redirect(http.StatusSeeOther, target)
}
