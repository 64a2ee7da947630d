package page

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/web/request"
)

// usersLimit is how many accounts one page lists.
const usersLimit = 50

// Show lists the accounts and has the form for a new one.
func (s *Users) Show(c echo.Context) error {
	return s.show(c, http.StatusOK, page.UsersProps{})
}

// show renders the page with what a form that was refused has to say.
func (s *Users) show(c echo.Context, status int, p page.UsersProps) error {
	users, next, err := s.Store.Users(c.Request().Context(), agent.Page{Limit: usersLimit, Cursor: c.QueryParam("cursor")})
	if err != nil {
		return err
	}
	if p.Groups, err = s.Store.Groups(c.Request().Context()); err != nil {
		return err
	}
	self := request.Viewer(c).UserID
	for _, u := range users {
		p.Users = append(p.Users, page.UserRow{
			ID: u.ID, Email: u.Email, Role: string(u.Role), Disabled: u.Disabled, Self: u.ID == self, Created: u.CreatedAt, Group: u.Group,
		})
	}
	if next != "" {
		p.Next = "/admin/users?cursor=" + url.QueryEscape(next)
	}
	p.New.MinPassword = strconv.Itoa(service.MinPassword)
	if p.New.Role == "" {
		p.New.Role = string(agent.RoleUser)
	}
	frame := s.shell(c, "Users", "users")
	return s.render(c, status, page.Users(frame, p))
}
