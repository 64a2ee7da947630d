package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
)

// Create adds an account. Bad input and a taken address come back at their
// fields, with everything that was typed but the password.
func (s *Users) Create(c echo.Context) error {
	u, err := s.Service.Users.Create(c.Request().Context(), service.NewUser{
		Email: c.FormValue("email"), Password: c.FormValue("password"), Role: agent.Role(c.FormValue("role")), Group: c.FormValue("group"),
	})
	switch agent.CodeOf(err) {
	case "":
		s.Sessions.Flash(c, u.Email+" can sign in now.")
		return c.Redirect(http.StatusSeeOther, "/admin/users")
	case agent.Invalid:
		return s.refuse(c, http.StatusUnprocessableEntity, agent.FieldErrors(err))
	case agent.Conflict:
		return s.refuse(c, http.StatusConflict, map[string]string{"email": "There is an account with this address already."})
	default:
		return err
	}
}

func (s *Users) refuse(c echo.Context, status int, fields map[string]string) error {
	return s.show(c, status, page.UsersProps{New: page.NewUser{
		Email: c.FormValue("email"), Role: c.FormValue("role"), Group: c.FormValue("group"), Errors: fields,
	}})
}
