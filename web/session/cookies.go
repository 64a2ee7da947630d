package session

import (
	"crypto/rand"
	"net/http"

	"github.com/labstack/echo/v4"
)

const (
	// languageCookie keeps the language that was chosen in this browser; languageLife is how
	// long, in seconds.
	languageCookie = "fusebox_language"
	languageLife   = 365 * 24 * 60 * 60
	// visitCookie names the session to the scripts of its pages, and opens nothing. A page
	// that a browser has kept and shows again compares it with its own, so that it is not
	// shown once that session has ended.
	visitCookie = "fusebox_visit"
)

// cookie is one that scripts cannot read; it ends with the browser's session.
func (s *Sessions) cookie(name, value string) *http.Cookie {
	return &http.Cookie{Name: name, Value: value, Path: s.Path, HttpOnly: true, Secure: s.Secure, SameSite: http.SameSiteLaxMode}
}

// sent returns the value of a cookie of the request, "" if it has none.
func sent(c echo.Context, name string) string {
	cookie, err := c.Cookie(name)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// Language is the tag of the language that was chosen in this browser, "" for none.
func (s *Sessions) Language(c echo.Context) string { return sent(c, languageCookie) }

// SetLanguage has this browser keep a choice of language; "" ends it.
func (s *Sessions) SetLanguage(c echo.Context, tag string) {
	cookie := s.cookie(languageCookie, tag)
	cookie.MaxAge = languageLife
	if tag == "" {
		cookie.MaxAge = -1
	}
	c.SetCookie(cookie)
}

// Visit is the name of the session for its pages, "" where nobody is signed in.
func (s *Sessions) Visit(c echo.Context) string { return sent(c, visitCookie) }

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
