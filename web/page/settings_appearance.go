package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/request"
)

const appearancePath = "/settings/appearance"

// ShowAppearance is how pages look to a person, and in which language.
func (s *Settings) ShowAppearance(c echo.Context) error {
	ctx := c.Request().Context()
	account, err := s.Store.UserByID(ctx, request.Viewer(c).UserID)
	if err != nil {
		return err
	}
	frame := s.settingsFrame(c, words(c).T("settings.nav.appearance"), "appearance")
	return s.render(c, http.StatusOK, page.SettingsAppearance(frame, page.AppearanceProps{
		Theme: frame.Theme, Languages: languageChoices(ctx, account.Language),
		Outputs: outputChoices(words(c), account.OutputMode, words(c).T("page.settings.output_inherited")),
	}))
}

// SetAppearance takes the whole page: all of it or nothing.
func (s *Settings) SetAppearance(c echo.Context) error {
	mode := agent.OutputMode(c.FormValue("output"))
	if err := service.CheckOutputMode("output", mode); err != nil {
		return err
	}
	theme, err := s.themeCookie(c.FormValue("theme"))
	if err != nil {
		return err
	}
	tag, err := s.saveLanguage(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	if err := s.Store.SetOutputMode(ctx, request.Viewer(c).UserID, mode); err != nil {
		return err
	}
	c.SetCookie(theme)
	s.Sessions.Flash(c, text.T(text.With(ctx, tag), "page.settings.appearance_saved"))
	return c.Redirect(http.StatusSeeOther, appearancePath)
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

// themeName is the cookie with light or dark; the switch in the sidebar writes it too.
const themeName = "theme"

// themeYear is how long the choice is kept, in seconds.
const themeYear = 365 * 24 * 60 * 60

// themeCookie keeps the look: light, dark, or like the system.
func (s *Settings) themeCookie(theme string) (*http.Cookie, error) {
	cookie := &http.Cookie{Name: themeName, Value: theme, Path: s.Address.CookiePath(), MaxAge: themeYear, SameSite: http.SameSiteLaxMode, Secure: s.Secure}
	switch theme {
	case "light", "dark":
	case "":
		cookie.MaxAge = -1
	default:
		return nil, agent.InvalidField("theme", "is light, dark or empty")
	}
	return cookie, nil
}

// themeOf is the chosen look, "" for the system's.
func themeOf(c echo.Context) string {
	cookie, err := c.Cookie(themeName)
	if err != nil || cookie.Value != "light" && cookie.Value != "dark" {
		return ""
	}
	return cookie.Value
}
