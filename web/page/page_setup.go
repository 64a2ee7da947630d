package page

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"fusebox/agent/service"
	"fusebox/views/page"
)

// Setup is the form of the first visit. It is there only while there are
// no users; after that it leads to the login.
func (s *Account) Setup(c echo.Context) error {
	n, err := s.Store.CountUsers(c.Request().Context())
	if err != nil {
		return err
	}
	if n > 0 {
		return c.Redirect(http.StatusSeeOther, "/login")
	}
	return s.showSetup(c, http.StatusOK, page.SetupProps{})
}

func (s *Account) showSetup(c echo.Context, status int, p page.SetupProps) error {
	p.MinPassword = strconv.Itoa(service.MinPassword)
	return s.render(c, status, page.Setup(s.frame(c, "Welcome"), p))
}
