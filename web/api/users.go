package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// Users answers the calls about users.
type Users struct {
	Store   service.UserStore
	Service *service.Service
	// PublicURL is where links that are handed on lead.
	PublicURL string
}

// List is GET /api/v1/users.
func (s *Users) List(c echo.Context) error {
	return listPage(c, func(p agent.Page) ([]agent.User, string, error) {
		return s.Store.Users(c.Request().Context(), c.QueryParam("search"), p)
	}, asIs)
}

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
	return answer(c, http.StatusOK, after, err)
}

// MakeReset is POST /api/v1/users/{id}/reset: a link with which the person can set a new
// password, this once.
func (s *Users) MakeReset(c echo.Context) error {
	link, err := s.Service.Users.NewReset(c.Request().Context(), c.Param("id"))
	return answer(c, http.StatusCreated, struct {
		URL     string    `json:"url"`
		Expires time.Time `json:"expiresAt"`
	}{request.PublicLink(c, s.PublicURL, request.ResetPath+link.Secret), link.Expires}, err)
}

// Remove is DELETE /api/v1/users/{id}: the account goes with what belongs to it.
func (s *Users) Remove(c echo.Context) error {
	_, err := s.Service.Users.Remove(c.Request().Context(), request.Viewer(c), c.Param("id"))
	return noContent(c, http.StatusNoContent, err)
}
