package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/web/request"
)

// SetNotify chooses whether a person gets e-mails about approvals and budgets.
func (s *Settings) SetNotify(c echo.Context) error {
	on := c.FormValue("notify") == "true"
	if err := s.Store.SetNotify(c.Request().Context(), request.Viewer(c).UserID, on); err != nil {
		return err
	}
	if on {
		s.Sessions.Flash(c, "Saved. You get an e-mail when something waits for you.")
	} else {
		s.Sessions.Flash(c, "Saved. You get no more e-mails about what waits.")
	}
	return c.Redirect(http.StatusSeeOther, "/settings")
}
