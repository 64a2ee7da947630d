package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/views/styleguide"
)

// Styleguide is GET /styleguide: every part of the pages in every state, for those who
// work on Fusebox.
func (s *Site) Styleguide(c echo.Context) error {
	return s.render(c, http.StatusOK, styleguide.Page(s.shell(c, words(c).T("styleguide.title"), "")))
}
