package page

import (
	"maps"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/layout"
	"fusebox/views/page"
	"fusebox/web/live"
	"fusebox/web/request"
	"fusebox/web/site"
	"fusebox/web/throttle"
)

// Settings shows the pages about settings and takes their forms.
type Settings struct {
	*site.Site
	Notify   NotifyInfo
	Secure   bool
	Streams  *live.Streams
	Throttle *throttle.Logins
}

// Show leads from the address that all settings once had to the first of their pages.
func (s *Settings) Show(c echo.Context) error {
	to := accountPath
	if q := c.QueryString(); q != "" { // a link in another language
		to += "?" + q
	}
	return c.Redirect(http.StatusSeeOther, to)
}

// settingsFrame is the frame of one page of the settings.
func (s *Settings) settingsFrame(c echo.Context, title, active string) layout.Props {
	return s.Shell(c, site.Within(title, site.Words(c).T("page.title.settings")), active)
}

// ShowNotifications is what a person is told without asking.
func (s *Settings) ShowNotifications(c echo.Context) error {
	v := request.Viewer(c)
	account, err := s.Store.UserByID(c.Request().Context(), v.UserID)
	if err != nil {
		return err
	}
	return s.Render(c, http.StatusOK, page.SettingsNotifications(s.settingsFrame(c, site.Words(c).T("settings.nav.notifications"), "notify"), page.NotifyProps{
		Notify: account.Notify, Email: s.Notify.Email(), Inbox: v.Role.Reviews(),
	}))
}

// SetNotify chooses whether a person gets e-mails about approvals and budgets.
func (s *Settings) SetNotify(c echo.Context) error {
	on := c.FormValue("notify") == "true"
	if err := s.Store.SetNotify(c.Request().Context(), request.Viewer(c).UserID, on); err != nil {
		return err
	}
	said := site.Words(c).T("page.settings.notify_off")
	if on {
		said = site.Words(c).T("page.settings.notify_on")
	}
	return s.Back(c, "/settings/notifications", said)
}

const accountPath = "/settings/account"

// ShowAccount is how a person signs in.
func (s *Settings) ShowAccount(c echo.Context) error { return s.showAccount(c, http.StatusOK, nil) }

// SetName sets what the viewer wants to be called.
func (s *Settings) SetName(c echo.Context) error {
	name, err := s.Service.Users.SetName(c.Request().Context(), request.Viewer(c).UserID, c.FormValue("name"))
	if agent.CodeOf(err) == agent.Invalid {
		return s.showAccount(c, http.StatusUnprocessableEntity, request.FieldErrors(site.Words(c), err))
	}
	if err != nil {
		return err
	}
	said := site.Words(c).T("page.settings.name_saved")
	if name == "" {
		said = site.Words(c).T("page.settings.name_removed")
	}
	return s.Back(c, accountPath, said)
}

func (s *Settings) showAccount(c echo.Context, status int, errors map[string]string) error {
	name := request.Viewer(c).Name
	if c.Request().Method == http.MethodPost && c.Request().PostForm.Has("name") {
		name = c.FormValue("name") // as it was typed
	}
	return s.Render(c, status, page.SettingsAccount(s.settingsFrame(c, site.Words(c).T("settings.nav.account"), "account"), page.AccountProps{
		Name: name, Errors: errors, MinPassword: strconv.Itoa(service.MinPassword),
	}))
}

// SignOutEverywhere ends all sessions of the viewer's account, also this one.
func (s *Settings) SignOutEverywhere(c echo.Context) error {
	if err := s.Service.Users.EndSessions(c.Request().Context(), request.Viewer(c).UserID); err != nil {
		return err
	}
	if err := s.Sessions.SignOut(c); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/login")
}

// ChangePassword sets the viewer's own password. It needs the old one, so that
// an unattended browser is not enough to take an account over, and ends the
// account's other sessions; its API tokens too, unless they are to be kept.
func (s *Settings) ChangePassword(c echo.Context) error {
	ctx, v := c.Request().Context(), request.Viewer(c)
	_, hash, err := s.Store.UserByEmail(ctx, v.Email)
	if err != nil {
		return err
	}
	key := "password:" + v.UserID // guesses at the login page do not keep a person from this
	if wait := s.Throttle.Try(key); wait > 0 {
		s.Throttle.Note(c, "password", v.Email)
		return s.showAccount(c, http.StatusTooManyRequests, map[string]string{"old": tooMany(c, wait)})
	}
	fields := map[string]string{}
	fits, err := service.PasswordFits(ctx, c.FormValue("old"), hash, true)
	if fits || err != nil {
		s.Throttle.Passed(key)
	}
	if err != nil {
		return err
	}
	if !fits {
		fields["old"] = site.Words(c).T("page.settings.wrong_password")
	}
	maps.Copy(fields, request.FieldErrors(site.Words(c), service.CheckPassword(c.FormValue("password"))))
	if len(fields) > 0 {
		return s.showAccount(c, http.StatusUnprocessableEntity, fields)
	}
	keep := c.FormValue("keep_tokens") == "true"
	if err := s.Service.Users.SetPassword(ctx, v.UserID, c.FormValue("password"), keep); err != nil {
		return err
	}
	// The new password ends all sessions, this one goes on as a new one.
	u, err := s.Store.UserByID(ctx, v.UserID)
	if err != nil {
		return err
	}
	if err := s.Sessions.SignIn(c, *u); err != nil {
		return err
	}
	said := site.Words(c).T("page.settings.password_saved")
	if keep {
		said = site.Words(c).T("page.settings.password_saved_kept")
	}
	return s.Back(c, accountPath, said)
}
