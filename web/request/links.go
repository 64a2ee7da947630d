package request

import (
	"strings"

	"github.com/labstack/echo/v4"
	"golang.org/x/text/language"

	"fusebox/views/text"
)

// ResetPath is where links to set a new password lead, with their secret behind it.
const ResetPath = "/reset/"

// PublicLink is the whole address of a path, for people who are not here: below the
// public address where it is known, else below the one that was asked.
func PublicLink(c echo.Context, publicURL, path string) string {
	if publicURL == "" {
		publicURL = "http://" + c.Request().Host
	}
	return strings.TrimSuffix(publicURL, "/") + path
}

// LoggedPath is the path of a request without what is secret in it.
func LoggedPath(c echo.Context) string {
	path := c.Request().URL.Path
	if before, _, secret := strings.Cut(path, ResetPath); secret {
		return before + ResetPath + "…"
	}
	return path
}

// MCPPath is where other agents connect to.
const MCPPath = "/mcp"

// Where lists of prices are taken; more may be sent there than elsewhere.
const (
	PriceListPage = "/admin/models/import"
	PriceListCall = "/api/v1/prices/import"
)

// PriceListSource is what is noted of a list that nobody says the source of.
const PriceListSource = "model_prices_and_context_window.json"

// LanguageParam is what names a language in a link: ?lang=zh.
const LanguageParam = "lang"

// LanguageOfLink is the language that the link of a request names; ok is false where it
// names none that there is.
func LanguageOfLink(c echo.Context) (tag language.Tag, ok bool) {
	return text.Known(c.QueryParam(LanguageParam))
}
