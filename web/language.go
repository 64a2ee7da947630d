package web

import (
	"cmp"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/text"
	"fusebox/web/request"
)

// spoken answers in the language that a link names, that was chosen in this browser, or
// that it asks for. Who asks is not known yet.
func (s *Server) spoken(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		chosen := s.sessions.Language(c)
		if tag, ok := request.LanguageOfLink(c); ok {
			chosen = tag.String()
		}
		speak(c, chosen)
		return next(c)
	}
}

// speakTo answers in the language of who asks; u is nil for strangers. The link decides
// for strangers, and their browser keeps it. To others its language is only offered.
func (s *Server) speakTo(c echo.Context, u *agent.User) {
	tag, linked := request.LanguageOfLink(c)
	if linked && strings.HasPrefix(c.Request().URL.Path, "/ws/") { // what comes live is in the language of its page
		speak(c, tag.String())
		return
	}
	if u != nil {
		speak(c, cmp.Or(u.Language, s.sessions.Language(c)))
		return
	}
	if linked {
		s.sessions.SetLanguage(c, tag.String())
	}
}

// speak answers in the language that was chosen, or in the one that the browser asks for.
func speak(c echo.Context, chosen string) {
	r := c.Request()
	tag := text.Match(chosen, r.Header.Get("Accept-Language"))
	c.SetRequest(r.WithContext(text.With(r.Context(), tag)))
}
