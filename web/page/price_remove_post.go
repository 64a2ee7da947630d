package page

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// Remove takes a price back from the page.
func (s *Prices) Remove(c echo.Context) error {
	row, err := s.Service.Prices.Remove(c.Request().Context(), request.Viewer(c), c.FormValue("provider"), c.FormValue("model"), c.FormValue("validFrom"))
	switch agent.CodeOf(err) {
	case "":
	case agent.Invalid:
		return s.show(c, http.StatusUnprocessableEntity, priceForm{
			model: c.FormValue("model"), provider: c.FormValue("provider"), problem: agent.MessageOf(err),
		})
	default:
		return err
	}
	s.Sessions.Flash(c, row.Name()+" has no price from "+row.ValidFrom.Format(time.DateOnly)+" on.")
	return c.Redirect(http.StatusSeeOther, priceHref(row.Name()))
}
