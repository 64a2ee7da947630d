package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// notifySet chooses whether a person gets e-mails about approvals and budgets.
func (s *pageSettings_) notifySet(c echo.Context) error {
	on := c.FormValue("notify") == "true"
	if err := s.Store.SetNotify(c.Request().Context(), viewerOf(c).UserID, on); err != nil {
		return err
	}
	if on {
		s.Sessions.flash(c, "Saved. You get an e-mail when something waits for you.")
	} else {
		s.Sessions.flash(c, "Saved. You get no more e-mails about what waits.")
	}
	return c.Redirect(http.StatusSeeOther, "/settings")
}
