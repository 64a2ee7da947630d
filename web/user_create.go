package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
)

// userCreate adds an account. Bad input and a taken address come back at their
// fields, with everything that was typed but the password.
func (s *Server) userCreate(c echo.Context) error {
	role := agent.Role(c.FormValue("role"))
	email, err := checkAccount(c.FormValue("email"), c.FormValue("password"))
	if err == nil && !role.Valid() {
		err = agent.InvalidField("role", "is user, reviewer or admin")
	}
	group, groupErr := agent.GroupName("group", c.FormValue("group"))
	if err == nil {
		err = groupErr
	}
	if err == nil {
		err = s.addUser(c, agent.User{Email: email, Role: role, Group: group}, c.FormValue("password"))
	}
	switch agent.CodeOf(err) {
	case "":
		s.flash(c, email+" can sign in now.")
		return c.Redirect(http.StatusSeeOther, "/admin/users")
	case agent.Invalid:
		return s.refuseUser(c, http.StatusUnprocessableEntity, fieldErrors(err))
	case agent.Conflict:
		return s.refuseUser(c, http.StatusConflict, map[string]string{"email": "There is an account with this address already."})
	default:
		return err
	}
}

func (s *Server) addUser(c echo.Context, u agent.User, password string) error {
	u.ID, u.CreatedAt = s.NewID(), s.Clock.Now()
	return s.Store.CreateUser(c.Request().Context(), u, HashPassword(password))
}

func (s *Server) refuseUser(c echo.Context, status int, fields map[string]string) error {
	return s.showUsers(c, status, page.UsersProps{New: page.NewUser{
		Email: c.FormValue("email"), Role: c.FormValue("role"), Group: c.FormValue("group"), Errors: fields,
	}})
}
