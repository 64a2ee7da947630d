package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// Tokens answers the calls about the viewer's own API tokens.
type Tokens struct {
	Store   service.UserStore
	Service *service.Service
}

// List is GET /api/v1/tokens.
func (s *Tokens) List(c echo.Context) error {
	list, err := s.Store.Tokens(c.Request().Context(), request.Viewer(c).UserID)
	return answer(c, http.StatusOK, request.Listing[agent.Token]{Items: list}, err)
}

// Create is POST /api/v1/tokens. The secret is in the answer, this once.
func (s *Tokens) Create(c echo.Context) error {
	var in struct {
		Name   string   `json:"name"`
		Scopes []string `json:"scopes"`
		Days   int      `json:"expiresInDays"`
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	made, secret, err := s.Service.Users.AddToken(c.Request().Context(), service.TokenInput{
		UserID: request.Viewer(c).UserID, Name: in.Name, Scopes: in.Scopes, Days: in.Days, Within: request.GrantOf(c).Token,
	})
	return answer(c, http.StatusCreated, struct {
		agent.Token
		Secret string `json:"token"`
	}{made, secret}, err)
}

// Delete is DELETE /api/v1/tokens/{id}. NotFound for others' tokens.
func (s *Tokens) Delete(c echo.Context) error {
	return noContent(c, http.StatusNoContent, s.Service.Users.DeleteToken(c.Request().Context(), request.Viewer(c).UserID, c.Param("id")))
}
