package page

import (
	"crypto/subtle"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/web/request"
	"fusebox/web/site"
	"fusebox/web/throttle"
)

// Account signs people in and out, and makes the first account.
type Account struct {
	*site.Site
	NewID     agent.NewID
	SetupCode string
	Throttle  *throttle.Logins
}

// Login is the sign-in form. Someone who is already signed in goes on to where they
// were going.
func (s *Account) Login(c echo.Context) error {
	if request.Viewer(c).UserID != "" {
		return c.Redirect(http.StatusSeeOther, localPath(c.QueryParam("next")))
	}
	return s.showLogin(c, http.StatusOK, page.LoginProps{Next: localPath(c.QueryParam("next"))})
}

func (s *Account) showLogin(c echo.Context, status int, p page.LoginProps) error {
	return s.Render(c, status, page.Login(s.Frame(c, site.Words(c).T("page.title.sign_in")), p))
}

// SignIn signs in. Whether an account exists, is disabled or has another
// password is not revealed, neither by the text nor by the time it takes.
// 429 after too many failures for one account or one address; a try counts
// from its beginning, so that a thousand at once are no way around.
func (s *Account) SignIn(c echo.Context) error {
	form := page.LoginProps{Email: strings.TrimSpace(c.FormValue("email")), Next: localPath(c.FormValue("next"))}
	email := strings.ToLower(form.Email)
	device := s.deviceOf(c, email)
	try, wait := s.Throttle.Begin(email, c.RealIP(), device)
	if wait > 0 {
		return s.throttled(c, email, form, wait)
	}
	u, err := s.Service.Users.Login(c.Request().Context(), service.Attempt{Email: email, Password: c.FormValue("password"), Known: device != ""})
	if err != nil {
		try.TakeBack()
		if !errors.Is(err, service.ErrBusy) {
			return err
		}
		c.Response().Header().Set("Retry-After", busyWait)
		form.Problem = site.Words(c).T("page.account.busy")
		return s.showLogin(c, http.StatusServiceUnavailable, form)
	}
	if u == nil {
		if wait := try.Failed(); wait > 0 {
			return s.throttled(c, email, form, wait)
		}
		form.Problem = site.Words(c).T("page.account.wrong")
		return s.showLogin(c, http.StatusUnprocessableEntity, form)
	}
	try.Passed()
	if err := s.auditSignIn(c, *u); err != nil {
		return err
	}
	if err := s.Sessions.SignIn(c, *u); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, form.Next)
}

// deviceOf is the browser, where the account has signed in with it before; "" for a
// stranger. It has a throttle of its own: so who guesses is slowed down, and the person is
// not, even where all come from the address of a proxy.
func (s *Account) deviceOf(c echo.Context, email string) string {
	u, _, err := s.Store.UserByEmail(c.Request().Context(), email)
	if err != nil {
		return ""
	}
	return s.Sessions.KnownDevice(c, *u)
}

// throttled shows the form again to who has to wait.
func (s *Account) throttled(c echo.Context, email string, form page.LoginProps, wait time.Duration) error {
	s.Throttle.Note(c, "login", email)
	form.Problem = tooMany(c, wait)
	return s.showLogin(c, http.StatusTooManyRequests, form)
}

// busyWait is how many seconds a crowd of sign-ins is told to wait.
const busyWait = "3"

// tooMany sets Retry-After and says how long to wait.
func tooMany(c echo.Context, wait time.Duration) string {
	seconds := int(math.Ceil(wait.Seconds()))
	c.Response().Header().Set("Retry-After", strconv.Itoa(seconds))
	return site.Words(c).T("page.account.too_many", seconds)
}

// SignOut ends the session and its streams.
func (s *Account) SignOut(c echo.Context) error {
	if err := s.Sessions.SignOut(c); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/login")
}

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
	return s.Render(c, status, page.Setup(s.Frame(c, site.Words(c).T("page.title.welcome")), p))
}

// CreateFirst makes the first account, an admin, and signs it in. The code from
// the log proves that it is made by who runs the server. Two at once: the
// first commit wins, the other is sent to the login.
func (s *Account) CreateFirst(c echo.Context) error {
	form := page.SetupProps{Code: strings.TrimSpace(c.FormValue("code")), Email: strings.TrimSpace(c.FormValue("email"))}
	if n, err := s.Store.CountUsers(c.Request().Context()); err != nil || n > 0 {
		return s.setupDone(c, err)
	}
	key := "setup " + throttle.AddressKey(c.RealIP())
	if wait := s.Throttle.Try(key); wait > 0 {
		s.Throttle.Note(c, "setup", "")
		form.Problem = tooMany(c, wait)
		return s.showSetup(c, http.StatusTooManyRequests, form)
	}
	email, err := service.CheckAccount(form.Email, c.FormValue("password"))
	form.Errors = request.FieldErrors(site.Words(c), err)
	codeFits := s.SetupCode != "" && subtle.ConstantTimeCompare([]byte(form.Code), []byte(s.SetupCode)) == 1
	if codeFits {
		s.Throttle.Passed(key)
	} else {
		form.Errors["code"] = site.Words(c).T("page.account.wrong_code")
	}
	if len(form.Errors) > 0 {
		return s.showSetup(c, http.StatusUnprocessableEntity, form)
	}
	u, err := s.Service.Users.CreateFirst(c.Request().Context(), email, c.FormValue("password"), request.PlaceOf(c, ""))
	if agent.CodeOf(err) == agent.Conflict {
		return s.setupDone(c, nil)
	}
	if err != nil {
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

// localPath returns next where it is a path of this site, else "/".
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(next, "/") ||
		strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n") {
		return "/"
	}
	return next
}

// auditSignIn records the sign-in of a person who can decide about others' runs.
// Where that cannot be written, they do not sign in.
func (s *Account) auditSignIn(c echo.Context, u agent.User) error {
	if !u.Role.Reviews() {
		return nil
	}
	return s.Store.Audit(c.Request().Context(), agent.AuditRow{
		ID: s.NewID(), At: s.Clock.Now(), Actor: u.Email, Role: u.Role, Action: "login", Target: u.ID, Place: request.PlaceOf(c, ""), Detail: "{}",
	})
}

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
			p.Errors = request.FieldErrors(site.Words(c), err)
			return s.showReset(c, http.StatusUnprocessableEntity, p)
		}
		if err != nil {
			return err
		}
		return s.Render(c, http.StatusOK, page.ResetDone(s.Frame(c, site.Words(c).T("account.reset.done"))))
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
	return s.Render(c, status, page.Reset(s.Frame(c, site.Words(c).T("account.reset.title")), p))
}
