package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/web/request"
)

// Switch switches a detector on or off from the page.
func (s *Guards) Switch(c echo.Context) error {
	name, on := c.Param("name"), c.FormValue("on") == "true"
	if err := s.Service.Guards.Switch(c.Request().Context(), request.Viewer(c), name, on); err != nil {
		return err
	}
	if on {
		s.Sessions.Flash(c, name+" is on from the next run on.")
	} else {
		s.Sessions.Flash(c, name+" is off from the next run on. It still records what it would have said.")
	}
	return c.Redirect(http.StatusSeeOther, "/admin/guards")
}
