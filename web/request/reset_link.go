package request

import (
	"strings"

	"github.com/labstack/echo/v4"
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
