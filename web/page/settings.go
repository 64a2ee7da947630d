package page

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/live"
	"fusebox/web/request"
	"fusebox/web/session"
)

// Settings shows the pages about settings and takes their forms.
type Settings struct {
	*Site
	Service    *service.Service
	Store      settingsStore
	Bills      *Bills
	Clock      agent.Clock
	Notify     NotifyInfo
	Secure     bool
	Sessions   *session.Sessions
	Streams    *live.Streams
	Throttle   *Throttling
	Visibility *request.Visibility
	Zone       *time.Location
}

// settingsStore is the part of the store that Settings needs.
type settingsStore interface {
	// BudgetStandingsOf is how those stand that bound one user, for that user.
	BudgetStatusesOf(ctx context.Context, userID string) ([]agent.BudgetStatus, error)
	// SetLanguage sets the language of a person's pages; "" as the browser asks for.
	SetLanguage(ctx context.Context, userID, language string) error
	// SetNotify sets whether a person gets e-mails about approvals and budgets.
	SetNotify(ctx context.Context, userID string, on bool) error
	// SetOutputMode sets in which portions answers are shown to a person; "" as configured.
	SetOutputMode(ctx context.Context, userID string, m agent.OutputMode) error
	Tokens(ctx context.Context, userID string) ([]agent.Token, error)
	// UserByEmail also returns the password hash.
	UserByEmail(ctx context.Context, email string) (*agent.User, string, error)
	UserByID(ctx context.Context, id string) (*agent.User, error)
}

// Show is a user's own account.
func (s *Settings) Show(c echo.Context) error {
	return s.show(c, http.StatusOK, page.SettingsProps{})
}

// show renders the page with what one of its forms has to say.
func (s *Settings) show(c echo.Context, status int, p page.SettingsProps) error {
	ctx, v := c.Request().Context(), request.Viewer(c)
	err := s.showTokens(c, &p)
	if err != nil {
		return err
	}
	if p.Spend, err = s.ownSpend(ctx, v); err != nil {
		return err
	}
	frame := s.shell(c, words(c).T("page.title.settings"), "settings")
	p.MinPassword = strconv.Itoa(service.MinPassword)
	p.Theme = cmp.Or(p.Theme, frame.Theme)
	account, err := s.Store.UserByID(ctx, v.UserID)
	if err != nil {
		return err
	}
	p.Notify, p.Email, p.Inbox = account.Notify, s.Notify.Email(), v.Role.Reviews()
	p.Outputs = outputChoices(words(c), account.OutputMode, words(c).T("page.settings.output_inherited"))
	p.Languages = languageChoices(ctx, account.Language)
	standings, err := s.Store.BudgetStatusesOf(ctx, v.UserID)
	if err != nil {
		return err
	}
	if p.Budgets, err = s.ownBudgetRows(ctx, v, standings); err != nil {
		return err
	}
	return s.render(c, status, page.Settings(frame, p))
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
	return c.Redirect(http.StatusSeeOther, "/settings")
}

// SetOutput chooses in which portions answers are shown to a person.
func (s *Settings) SetOutput(c echo.Context) error {
	mode := agent.OutputMode(c.FormValue("output"))
	if err := service.CheckOutputMode("output", mode); err != nil {
		return err
	}
	if err := s.Store.SetOutputMode(c.Request().Context(), request.Viewer(c).UserID, mode); err != nil {
		return err
	}
	s.Sessions.Flash(c, words(c).T("page.settings.output_saved"))
	return c.Redirect(http.StatusSeeOther, "/settings")
}

// outputChoices are the output modes in words; inherited is the one that takes
// the next wider setting.
func outputChoices(tr *text.Printer, selected agent.OutputMode, inherited string) []page.Choice {
	choices := []page.Choice{
		{Value: "", Label: inherited},
		{Value: string(agent.OutputToken), Label: tr.T("page.settings.output_token")},
		{Value: string(agent.OutputSentence), Label: tr.T("page.settings.output_sentence")},
		{Value: string(agent.OutputWhole), Label: tr.T("page.settings.output_whole")},
	}
	for i := range choices {
		choices[i].Selected = choices[i].Value == string(selected)
	}
	return choices
}

// themeCookie is light or dark; the switch in the sidebar writes it too.
const themeCookie = "theme"

// themeYear is how long the choice is kept, in seconds.
const themeYear = 365 * 24 * 60 * 60

// SetTheme chooses the look: light, dark, or like the system.
func (s *Settings) SetTheme(c echo.Context) error {
	theme := c.FormValue("theme")
	cookie := &http.Cookie{Name: themeCookie, Value: theme, Path: s.Address.CookiePath(), MaxAge: themeYear, SameSite: http.SameSiteLaxMode, Secure: s.Secure}
	switch theme {
	case "light", "dark":
	case "":
		cookie.MaxAge = -1
	default:
		return agent.InvalidField("theme", "is light, dark or empty")
	}
	c.SetCookie(cookie)
	if mode := c.Request().Header.Get("Sec-Fetch-Mode"); mode != "" && mode != "navigate" {
		return c.NoContent(http.StatusNoContent) // the switch in the sidebar
	}
	return c.Redirect(http.StatusSeeOther, "/settings")
}

// themeOf is the chosen look, "" for the system's.
func themeOf(c echo.Context) string {
	cookie, err := c.Cookie(themeCookie)
	if err != nil || cookie.Value != "light" && cookie.Value != "dark" {
		return ""
	}
	return cookie.Value
}
