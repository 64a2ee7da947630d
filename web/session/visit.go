package session

import (
	"crypto/rand"
	"net/http"

	"github.com/labstack/echo/v4"
)

// visitCookie names the session to the scripts of its pages, and opens nothing. A page
// that a browser has kept and shows again compares it with its own, so that it is not
// shown once that session has ended.
const visitCookie = "fusebox_visit"

// Visit is the name of the session for its pages, "" where nobody is signed in.
func (s *Sessions) Visit(c echo.Context) string {
	cookie, err := c.Cookie(visitCookie)
	if err != nil {
		return ""
	}
	return cookie.Value
}

func (s *Sessions) beginVisit(c echo.Context) { c.SetCookie(s.visitCookie(rand.Text())) }

func (s *Sessions) endVisit(c echo.Context) {
	cookie := s.visitCookie("")
	cookie.MaxAge = -1
	c.SetCookie(cookie)
}

func (s *Sessions) visitCookie(name string) *http.Cookie {
	cookie := s.cookie(visitCookie, name)
	cookie.HttpOnly = false
	return cookie
}
