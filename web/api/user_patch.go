package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// Update is PATCH /api/v1/users/{id}: what is missing stays as it is.
func (s *Users) Update(c echo.Context) error {
	var in struct {
		Role     *agent.Role `json:"role"`
		Disabled *bool       `json:"disabled"`
		Group    *string     `json:"group"`
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	_, after, err := s.Service.Users.Change(c.Request().Context(), c.Param("id"), agent.UserPatch{Role: in.Role, Disabled: in.Disabled, Group: in.Group})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, after)
}
