package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// guardSwitchPost switches a detector on or off from the page.
func (s *pageGuards_) guardSwitchPost(c echo.Context) error {
	name, on := c.Param("name"), c.FormValue("on") == "true"
	if err := s.Service.Guards.Switch(c.Request().Context(), viewerOf(c), name, on); err != nil {
		return err
	}
	if on {
		s.Sessions.flash(c, name+" is on from the next run on.")
	} else {
		s.Sessions.flash(c, name+" is off from the next run on. It still records what it would have said.")
	}
	return c.Redirect(http.StatusSeeOther, "/admin/guards")
}
