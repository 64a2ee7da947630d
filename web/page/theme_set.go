package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// themeCookie holds light or dark; the switch in the sidebar writes it too.
const themeCookie = "theme"

// themeYear is how long the choice is kept, in seconds.
const themeYear = 365 * 24 * 60 * 60

// SetTheme chooses the look: light, dark, or like the system.
func (s *Settings) SetTheme(c echo.Context) error {
	theme := c.FormValue("theme")
	cookie := &http.Cookie{Name: themeCookie, Value: theme, Path: "/", MaxAge: themeYear, SameSite: http.SameSiteLaxMode, Secure: s.Secure}
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
