package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// List is GET /api/v1/users.
func (s *Users) List(c echo.Context) error {
	p, err := request.Page(c)
	if err != nil {
		return err
	}
	users, next, err := s.Store.Users(c.Request().Context(), p)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, request.Listing[agent.User]{Items: users, NextCursor: next})
}
