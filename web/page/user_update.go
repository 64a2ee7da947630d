package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
)

// Update sets an account's role, its group and whether it is disabled, as
// far as its form changes them: what another admin has changed since the form
// was shown stays. Conflict where no enabled admin would be left.
func (s *Users) Update(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return agent.Wrap(agent.Invalid, err, "The form cannot be read.")
	}
	changed := func(name, was string) bool {
		return form.Has(name) && (!form.Has(was) || form.Get(name) != form.Get(was))
	}
	var patch agent.UserPatch
	if changed("role", "wasRole") {
		role := agent.Role(form.Get("role"))
		patch.Role = &role
	}
	if form.Has("disabled") {
		disabled := form.Get("disabled") == "true"
		patch.Disabled = &disabled
	}
	if changed("group", "wasGroup") {
		group := form.Get("group")
		patch.Group = &group
	}
	before, after, err := s.Service.Users.Change(c.Request().Context(), c.Param("id"), patch)
	switch agent.CodeOf(err) {
	case "":
	case agent.Conflict:
		return s.show(c, http.StatusConflict, page.UsersProps{
			Problem: before.Email + " is the last admin. Make somebody else an admin first, then change this account.",
		})
	case agent.Invalid:
		return s.show(c, http.StatusUnprocessableEntity, page.UsersProps{Problem: "Nothing was changed: " + agent.MessageOf(err) + "."})
	default:
		return err
	}
	s.Sessions.Flash(c, userChange(*before, *after)+".")
	return c.Redirect(http.StatusSeeOther, "/admin/users")
}

// userChange says what was changed.
func userChange(before, after agent.User) string {
	switch {
	case after.Disabled && !before.Disabled:
		return before.Email + " is disabled"
	case !after.Disabled && before.Disabled:
		return before.Email + " is enabled"
	case after.Role != before.Role:
		return before.Email + " was " + string(before.Role) + " and is " + string(after.Role) + " now"
	case after.Group == "" && before.Group != "":
		return before.Email + " is in no group now"
	case after.Group != before.Group:
		return before.Email + " is in the group " + after.Group + " now"
	default:
		return before.Email + " stays as it was"
	}
}
