package session

import (
	"crypto/rand"
	"crypto/subtle"

	"github.com/labstack/echo/v4"
)

// visitorCookie names a browser that nobody has signed in with. A session for it would
// be a row in the database for each page that a stranger asks for.
const visitorCookie = "fusebox_visitor"

// FormToken returns the token that the forms of a page carry in the field csrf_token,
// and scripts in the header X-CSRF-Token: that of the session, or, for visitors, the
// signature of their cookie.
func (s *Sessions) FormToken(c echo.Context) string {
	if !s.hasAccount(c) {
		return s.sign("form", s.visitor(c))
	}
	ctx := c.Request().Context()
	token := s.manager.GetString(ctx, sessionCSRF)
	if token == "" {
		token = rand.Text()
		s.manager.Put(ctx, sessionCSRF, token)
	}
	return token
}

// FormTokenFits reports whether a request carries the token of a page that this
// browser was shown.
func (s *Sessions) FormTokenFits(c echo.Context, given string) bool {
	want := ""
	if s.hasAccount(c) {
		want = s.manager.GetString(c.Request().Context(), sessionCSRF)
	} else if cookie, err := c.Cookie(visitorCookie); err == nil {
		want = s.sign("form", cookie.Value)
	}
	return want != "" && subtle.ConstantTimeCompare([]byte(want), []byte(given)) == 1
}

// hasAccount reports whether a request came with the session of an account.
func (s *Sessions) hasAccount(c echo.Context) bool {
	return loaded(c) && s.manager.GetString(c.Request().Context(), sessionUser) != ""
}

// visitor is what the browser is known by while nobody is signed in.
func (s *Sessions) visitor(c echo.Context) string {
	if known := sent(c, visitorCookie); known != "" {
		return known
	}
	fresh := rand.Text()
	c.SetCookie(s.cookie(visitorCookie, fresh))
	return fresh
}
