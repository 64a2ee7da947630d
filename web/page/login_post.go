package page

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/views/page"
)

// SignIn signs in. Whether an account exists, is disabled or has another
// password is told to nobody, neither by the text nor by the time it takes.
// 429 after too many failures for one account or one address; a try counts
// from its beginning, so that a thousand at once are no way around.
func (s *Account) SignIn(c echo.Context) error {
	form := page.LoginProps{Email: strings.TrimSpace(c.FormValue("email")), Next: localPath(c.FormValue("next"))}
	email := strings.ToLower(form.Email)
	keys := []string{accountKey(email), addressKey(c.RealIP())}
	if wait := s.Throttle.logins.try(keys...); wait > 0 {
		s.Throttle.noteThrottled(c, "login", email)
		form.Problem = tooMany(c, wait)
		return s.showLogin(c, http.StatusTooManyRequests, form)
	}
	u, err := s.Service.Users.Login(c.Request().Context(), email, c.FormValue("password"))
	if err != nil {
		return err
	}
	if u == nil {
		form.Problem = "This e-mail address and this password do not fit together. Check both and try again."
		return s.showLogin(c, http.StatusUnprocessableEntity, form)
	}
	s.Throttle.logins.clear(keys[0])
	s.Throttle.logins.passed(keys[1])
	if err := s.auditSignIn(c, *u); err != nil {
		return err
	}
	if err := s.Sessions.SignIn(c, *u); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, form.Next)
}

// tooMany sets Retry-After and says how long to wait.
func tooMany(c echo.Context, wait time.Duration) string {
	seconds := int(math.Ceil(wait.Seconds()))
	c.Response().Header().Set("Retry-After", strconv.Itoa(seconds))
	return fmt.Sprintf("Too many tries failed. Wait %d seconds, then try again.", seconds)
}
