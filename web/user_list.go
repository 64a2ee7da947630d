package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// userList is GET /api/v1/users.
func (s *apiUsers) userList(c echo.Context) error {
	p, err := pageOf(c)
	if err != nil {
		return err
	}
	users, next, err := s.Store.Users(c.Request().Context(), p)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, listing[agent.User]{users, next})
}
