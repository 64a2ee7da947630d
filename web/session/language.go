package session

import (
	"github.com/labstack/echo/v4"
)

// languageCookie keeps the language that was chosen in this browser; languageLife is how
// long, in seconds.
const (
	languageCookie = "fusebox_language"
	languageLife   = 365 * 24 * 60 * 60
)

// Language is the tag of the language that was chosen in this browser, "" for none.
func (s *Sessions) Language(c echo.Context) string {
	cookie, err := c.Cookie(languageCookie)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// SetLanguage has this browser keep a choice of language; "" ends it.
func (s *Sessions) SetLanguage(c echo.Context, tag string) {
	cookie := s.cookie(languageCookie, tag)
	cookie.MaxAge = languageLife
	if tag == "" {
		cookie.MaxAge = -1
	}
	c.SetCookie(cookie)
}
