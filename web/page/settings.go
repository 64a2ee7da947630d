package page

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/layout"
	"fusebox/views/page"
	"fusebox/web/live"
	"fusebox/web/request"
	"fusebox/web/session"
	"fusebox/web/throttle"
)

// Settings shows the pages about settings and takes their forms.
type Settings struct {
	*Site
	Service    *service.Service
	Store      service.Store
	Bills      *Bills
	Clock      agent.Clock
	Notify     NotifyInfo
	Secure     bool
	Sessions   *session.Sessions
	Streams    *live.Streams
	Throttle   *throttle.Logins
	Visibility *request.Visibility
	Zone       *time.Location
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
	return s.shell(c, within(title, words(c).T("page.title.settings")), active)
}

// ShowNotifications is what a person is told without asking.
func (s *Settings) ShowNotifications(c echo.Context) error {
	v := request.Viewer(c)
	account, err := s.Store.UserByID(c.Request().Context(), v.UserID)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, page.SettingsNotifications(s.settingsFrame(c, words(c).T("settings.nav.notifications"), "notify"), page.NotifyProps{
		Notify: account.Notify, Email: s.Notify.Email(), Inbox: v.Role.Reviews(),
	}))
}

// SetNotify chooses whether a person gets e-mails about approvals and budgets.
func (s *Settings) SetNotify(c echo.Context) error {
	on := c.FormValue("notify") == "true"
	if err := s.Store.SetNotify(c.Request().Context(), request.Viewer(c).UserID, on); err != nil {
		return err
	}
	if on {
		s.Sessions.Flash(c, words(c).T("page.settings.notify_on"))
	} else {
		s.Sessions.Flash(c, words(c).T("page.settings.notify_off"))
	}
	return c.Redirect(http.StatusSeeOther, "/settings/notifications")
}
