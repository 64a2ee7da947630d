package web

import (
	"strconv"

	"github.com/labstack/echo/v4"

	"fusebox/views/layout"
	"fusebox/views/page"
)

// errorPage tells a person what went wrong and where to go from here.
func (s *Server) errorPage(c echo.Context, status int, title, message string) error {
	return s.render(c, status, page.Problem(s.bareProps(c, title), page.ProblemProps{
		Status: strconv.Itoa(status), Title: title, Message: message, Back: "/", BackLabel: "To the first page",
	}))
}

// bareProps are those of a page without the sidebar.
func (s *Server) bareProps(c echo.Context, title string) layout.Props {
	return layout.Props{Title: title, CSRF: s.csrfOf(c), Theme: s.sessions.GetString(c.Request().Context(), sessionTheme), Assets: assetURL}
}
