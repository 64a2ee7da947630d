package page

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"fusebox/views/layout"
	"fusebox/views/page"
	"fusebox/web/request"
)

// ErrorPage tells a person what went wrong and what can be done.
func (s *Site) ErrorPage(c echo.Context, status int, title, message string) error {
	frame := s.frame(c, title)
	if request.Viewer(c).UserID != "" {
		frame = s.shell(c, title, "")
	}
	return s.render(c, status, page.Problem(frame, problemProps(frame, status, title, message)))
}

func problemProps(frame layout.Props, status int, title, message string) page.ProblemProps {
	p := page.ProblemProps{Status: strconv.Itoa(status), Title: title, Message: message, Back: "/", BackLabel: "To the chat"}
	if status == http.StatusForbidden && frame.Viewer.Email == "" {
		p.Back, p.BackLabel = "/login", "Sign in"
	}
	return p
}
