package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
)

// userUpdate sets an account's role and whether it is disabled. Its open
// streams end, so that nobody goes on with rights he no longer has.
// Conflict where no enabled admin would be left.
func (s *Server) userUpdate(c echo.Context) error {
	ctx, id := c.Request().Context(), c.Param("id")
	role, disabled := agent.Role(c.FormValue("role")), c.FormValue("disabled") == "true"
	if !role.Valid() {
		return agent.InvalidField("role", "is user, reviewer or admin")
	}
	before, err := s.Store.UserByID(ctx, id)
	if err != nil {
		return err
	}
	err = s.Store.UpdateUser(ctx, id, role, disabled)
	if agent.CodeOf(err) == agent.Conflict {
		return s.showUsers(c, http.StatusConflict, page.UsersProps{
			Problem: before.Email + " is the last admin. Make somebody else an admin first, then change this account.",
		})
	}
	if err != nil {
		return err
	}
	s.streams.endUser(id)
	s.flash(c, userChange(*before, role, disabled)+".")
	return c.Redirect(http.StatusSeeOther, "/admin/users")
}

// userChange says what was changed.
func userChange(before agent.User, role agent.Role, disabled bool) string {
	switch {
	case disabled && !before.Disabled:
		return before.Email + " is disabled"
	case !disabled && before.Disabled:
		return before.Email + " is enabled"
	case role != before.Role:
		return before.Email + " was " + string(before.Role) + " and is " + string(role) + " now"
	default:
		return before.Email + " stays as it was"
	}
}
