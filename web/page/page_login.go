package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/views/page"
	"fusebox/web/request"
)

// Login is the sign-in form. Who is signed in already goes on to where he
// was going.
func (s *Account) Login(c echo.Context) error {
	if request.Viewer(c).UserID != "" {
		return c.Redirect(http.StatusSeeOther, localPath(c.QueryParam("next")))
	}
	return s.showLogin(c, http.StatusOK, page.LoginProps{Next: localPath(c.QueryParam("next"))})
}

func (s *Account) showLogin(c echo.Context, status int, p page.LoginProps) error {
	return s.render(c, status, page.Login(s.frame(c, "Sign in"), p))
}
