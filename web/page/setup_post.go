package page

import (
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/web/request"
)

// CreateFirst makes the first account, an admin, and signs it in. The code from
// the log proves that it is made by who runs the server. Two at once: the
// first commit wins, the other is sent to the login.
func (s *Account) CreateFirst(c echo.Context) error {
	form := page.SetupProps{Code: strings.TrimSpace(c.FormValue("code")), Email: strings.TrimSpace(c.FormValue("email"))}
	if n, err := s.Store.CountUsers(c.Request().Context()); err != nil || n > 0 {
		return s.setupDone(c, err)
	}
	key := "setup " + addressKey(c.RealIP())
	if wait := s.Throttle.logins.try(key); wait > 0 {
		s.Throttle.noteThrottled(c, "setup", "")
		form.Problem = tooMany(c, wait)
		return s.showSetup(c, http.StatusTooManyRequests, form)
	}
	email, err := service.CheckAccount(form.Email, c.FormValue("password"))
	form.Errors = agent.FieldErrors(err)
	codeFits := s.SetupCode != "" && subtle.ConstantTimeCompare([]byte(form.Code), []byte(s.SetupCode)) == 1
	if codeFits {
		s.Throttle.logins.passed(key)
	} else {
		form.Errors["code"] = "This is not the code from the log. It is printed there at every start as long as there is no account."
	}
	if len(form.Errors) > 0 {
		return s.showSetup(c, http.StatusUnprocessableEntity, form)
	}
	return s.makeFirst(c, email)
}

func (s *Account) makeFirst(c echo.Context, email string) error {
	u, err := s.Service.Users.CreateFirst(c.Request().Context(), email, c.FormValue("password"), request.PlaceOf(c, ""))
	if err != nil {
		if agent.CodeOf(err) == agent.Conflict {
			return s.setupDone(c, nil)
		}
		return err
	}
	if err := s.Sessions.SignIn(c, u); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/")
}

// setupDone leads away from a form that is there only once.
func (s *Account) setupDone(c echo.Context, err error) error {
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/login")
}
