package page

import (
	"cmp"
	"context"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"
	"golang.org/x/text/language"

	"fusebox/agent"
	"fusebox/views/layout"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/request"
)

// SetLanguage takes the offer on top of a page that was opened in another language.
func (s *Settings) SetLanguage(c echo.Context) error {
	tag, err := s.saveLanguage(c)
	if err != nil {
		return err
	}
	said := text.With(c.Request().Context(), tag)
	if c.FormValue("language") == "" {
		s.Sessions.Flash(c, text.T(said, "page.settings.language_automatic"))
	} else {
		s.Sessions.Flash(c, text.T(said, "page.settings.language_saved"))
	}
	return c.Redirect(http.StatusSeeOther, localPath(cmp.Or(c.FormValue("back"), appearancePath)))
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

// otherLanguages are links to the page that is being shown, in its other languages.
func otherLanguages(c echo.Context) []layout.Language {
	var others []layout.Language
	for _, tag := range text.Languages() {
		if tag.String() == words(c).Language() {
			continue
		}
		q := url.Values{}
		for name, values := range c.QueryParams() {
			q[name] = values
		}
		q.Set(request.LanguageParam, tag.String())
		others = append(others, layout.Language{Tag: tag, Href: "?" + q.Encode()})
	}
	return others
}

// offeredLanguage is the language of the link that somebody followed who is signed in,
// nil where the page is in it.
func offeredLanguage(c echo.Context) *layout.Language {
	tag, ok := request.LanguageOfLink(c)
	if !ok || tag.String() == words(c).Language() {
		return nil
	}
	q := url.Values{}
	for name, values := range c.QueryParams() {
		if name != request.LanguageParam {
			q[name] = values
		}
	}
	back := url.URL{Path: c.Request().URL.Path, RawQuery: q.Encode()}
	return &layout.Language{Tag: tag, Href: back.String()}
}
