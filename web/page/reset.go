package page

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/web/request"
	"fusebox/web/throttle"
)

// ShowReset is the page behind a link to set a new password. To open it uses nothing
// up: mail programs open links, too. Links that never were are answered as those that
// were used.
func (s *Account) ShowReset(c echo.Context) error {
	return s.withReset(c, func(p page.ResetProps) error { return s.showReset(c, http.StatusOK, p) })
}

// Reset sets the new password.
func (s *Account) Reset(c echo.Context) error {
	return s.withReset(c, func(p page.ResetProps) error {
		keep := c.FormValue("keep_tokens") == "true"
		err := s.Service.Users.ResetPassword(c.Request().Context(), c.Param("id"), c.FormValue("password"), request.PlaceOf(c, ""), keep)
		if agent.CodeOf(err) == agent.Invalid {
			p.Errors = request.FieldErrors(words(c), err)
			return s.showReset(c, http.StatusUnprocessableEntity, p)
		}
		if err != nil {
			return err
		}
		return s.render(c, http.StatusOK, page.ResetDone(s.frame(c, words(c).T("account.reset.done"))))
	})
}

// withReset goes on where the link works. Tries with others are counted by address.
func (s *Account) withReset(c echo.Context, show func(page.ResetProps) error) error {
	// The address of the page is the secret: it goes nowhere else.
	c.Response().Header().Set("Referrer-Policy", "no-referrer")
	key := "reset " + throttle.AddressKey(c.RealIP())
	if wait := s.Throttle.Try(key); wait > 0 {
		s.Throttle.Note(c, "reset", "")
		return s.showReset(c, http.StatusTooManyRequests, page.ResetProps{Problem: tooMany(c, wait)})
	}
	u, err := s.Service.Users.ResetFor(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	s.Throttle.Passed(key)
	return show(page.ResetProps{Email: u.Email})
}

func (s *Account) showReset(c echo.Context, status int, p page.ResetProps) error {
	p.Action, p.MinPassword = request.ResetPath+c.Param("id"), strconv.Itoa(service.MinPassword)
	return s.render(c, status, page.Reset(s.frame(c, words(c).T("account.reset.title")), p))
}
