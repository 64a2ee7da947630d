package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// messagePin keeps a message word for word when the context is compacted, or no longer.
func (s *pageChat) messagePin(c echo.Context) error {
	id := c.Param("id")
	if err := s.Store.SetPinned(c.Request().Context(), viewerOf(c), id, c.Param("message"), c.FormValue("pinned") == "true"); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/c/"+id+"#m-"+c.Param("message"))
}
