package site

import (
	"maps"
	"net/url"

	"github.com/labstack/echo/v4"

	"fusebox/views/layout"
	"fusebox/views/text"
	"fusebox/web/request"
)

// ThemeCookie is the name of the cookie with light or dark; the switch in the sidebar writes it too.
const ThemeCookie = "theme"

// themeOf is the chosen look, "" for the system's.
func themeOf(c echo.Context) string {
	cookie, err := c.Cookie(ThemeCookie)
	if err != nil || cookie.Value != "light" && cookie.Value != "dark" {
		return ""
	}
	return cookie.Value
}

// otherLanguages are links to the page that is being shown, in its other languages.
func otherLanguages(c echo.Context) []layout.Language {
	var others []layout.Language
	for _, tag := range text.Languages() {
		if tag.String() == Words(c).Language() {
			continue
		}
		q := maps.Clone(c.QueryParams())
		q.Set(request.LanguageParam, tag.String())
		others = append(others, layout.Language{Tag: tag, Href: "?" + q.Encode()})
	}
	return others
}

// offeredLanguage is the language of the link that somebody followed who is signed in,
// nil where the page is in it.
func offeredLanguage(c echo.Context) *layout.Language {
	tag, ok := request.LanguageOfLink(c)
	if !ok || tag.String() == Words(c).Language() {
		return nil
	}
	q := maps.Clone(c.QueryParams())
	q.Del(request.LanguageParam)
	back := url.URL{Path: c.Request().URL.Path, RawQuery: q.Encode()}
	return &layout.Language{Tag: tag, Href: back.String()}
}
