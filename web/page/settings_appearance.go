package page

import (
	"cmp"
	"context"
	"net/http"

	"github.com/labstack/echo/v4"
	"golang.org/x/text/language"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/request"
	"fusebox/web/site"
)

const appearancePath = "/settings/appearance"

// ShowAppearance is how pages look to a person, and in which language.
func (s *Settings) ShowAppearance(c echo.Context) error {
	ctx := c.Request().Context()
	account, err := s.Store.UserByID(ctx, request.Viewer(c).UserID)
	if err != nil {
		return err
	}
	frame := s.settingsFrame(c, site.Words(c).T("settings.nav.appearance"), "appearance")
	return s.Render(c, http.StatusOK, page.SettingsAppearance(frame, page.AppearanceProps{
		Theme: frame.Theme, Languages: languageChoices(ctx, account.Language),
		Outputs: outputChoices(site.Words(c), account.OutputMode, site.Words(c).T("page.settings.output_inherited")),
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
	return s.Back(c, appearancePath, text.For(tag.String()).T("page.settings.appearance_saved"))
}

// outputChoices are the output modes in words; inherited is the one that takes
// the next wider setting.
func outputChoices(tr *text.Printer, selected agent.OutputMode, inherited string) []page.Choice {
	return site.Choices(string(selected), [][2]string{
		{"", inherited}, {string(agent.OutputToken), tr.T("page.settings.output_token")},
		{string(agent.OutputSentence), tr.T("page.settings.output_sentence")}, {string(agent.OutputWhole), tr.T("page.settings.output_whole")},
	})
}

// themeYear is how long the choice is kept, in seconds.
const themeYear = 365 * 24 * 60 * 60

// themeCookie keeps the look: light, dark, or like the system.
func (s *Settings) themeCookie(theme string) (*http.Cookie, error) {
	cookie := &http.Cookie{Name: site.ThemeCookie, Value: theme, Path: s.Address.CookiePath(), MaxAge: themeYear, SameSite: http.SameSiteLaxMode, Secure: s.Secure}
	switch theme {
	case "light", "dark":
	case "":
		cookie.MaxAge = -1
	default:
		return nil, agent.InvalidField("theme", "is light, dark or empty")
	}
	return cookie, nil
}

// SetLanguage takes the offer on top of a page that was opened in another language.
func (s *Settings) SetLanguage(c echo.Context) error {
	tag, err := s.saveLanguage(c)
	if err != nil {
		return err
	}
	tr := text.For(tag.String())
	said := tr.T("page.settings.language_saved")
	if c.FormValue("language") == "" {
		said = tr.T("page.settings.language_automatic")
	}
	return s.Back(c, localPath(cmp.Or(c.FormValue("back"), appearancePath)), said)
}

// saveLanguage keeps the language of a person's pages: one, or what the browser asks
// for, and returns it. The browser keeps it for the time after signing out.
func (s *Settings) saveLanguage(c echo.Context) (language.Tag, error) {
	ctx, chosen := c.Request().Context(), c.FormValue("language")
	tag, known := text.Known(chosen)
	switch {
	case chosen == "":
		tag = text.Match("", c.Request().Header.Get("Accept-Language"))
	case !known:
		return tag, agent.InvalidField("language", "is en, zh or empty")
	default:
		chosen = tag.String()
	}
	if err := s.Store.SetLanguage(ctx, request.Viewer(c).UserID, chosen); err != nil {
		return tag, err
	}
	s.Sessions.SetLanguage(c, chosen)
	return tag, nil
}

// languageChoices are the languages by their own names, after the one of the browser.
func languageChoices(ctx context.Context, selected string) []page.Choice {
	list := []page.Choice{{Value: "", Label: text.T(ctx, "settings.language.system"), Selected: selected == ""}}
	for _, tag := range text.Languages() {
		list = append(list, page.Choice{
			Value: tag.String(), Label: text.T(text.With(ctx, tag), "language.name"), Selected: selected == tag.String(),
		})
	}
	return list
}
