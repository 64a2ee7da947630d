package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/web/request"
)

// deliveryID names a delivery that was just made.
type deliveryID struct {
	ID string `json:"id"`
}

// Resend is POST /api/v1/notifications/{id}/resend: a new delivery
// of one that is at its end.
func (s *Notifications) Resend(c echo.Context) error {
	fresh, err := s.Store.Resend(c.Request().Context(), request.Viewer(c).Email, c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, deliveryID{fresh})
}
