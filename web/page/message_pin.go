package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/web/request"
)

// Pin keeps a message word for word when the context is compacted, or no longer.
func (s *Chat) Pin(c echo.Context) error {
	id := c.Param("id")
	if err := s.Store.SetPinned(c.Request().Context(), request.Viewer(c), id, c.Param("message"), c.FormValue("pinned") == "true"); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/c/"+id+"#m-"+c.Param("message"))
}
