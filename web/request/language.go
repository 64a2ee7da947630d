package request

import (
	"github.com/labstack/echo/v4"
	"golang.org/x/text/language"

	"fusebox/views/text"
)

// LanguageParam is what names a language in a link: ?lang=zh.
const LanguageParam = "lang"

// LanguageOfLink is the language that the link of a request names; ok is false where it
// names none that there is.
func LanguageOfLink(c echo.Context) (tag language.Tag, ok bool) {
	return text.Known(c.QueryParam(LanguageParam))
}
