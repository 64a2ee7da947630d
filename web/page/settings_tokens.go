package page

import (
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/request"
)

const (
	maxTokenName = 80
	// maxTokens is how many tokens one user may have.
	maxTokens = 50
)

// CreateToken makes an API token and shows its secret, this once: only its
// hash is stored, so the answer to the form is the page itself.
func (s *Settings) CreateToken(c echo.Context) error {
	ctx, v := c.Request().Context(), request.Viewer(c)
	name := strings.TrimSpace(c.FormValue("name"))
	list, err := s.Store.Tokens(ctx, v.UserID)
	if err != nil {
		return err
	}
	if problem := tokenProblem(words(c), name, list); problem != "" {
		return s.show(c, http.StatusUnprocessableEntity, page.SettingsProps{
			TokenName: name, TokenErrors: map[string]string{"name": problem},
		})
	}
	secret, err := s.Service.Users.CreateToken(ctx, v.UserID, name)
	if err != nil {
		return err
	}
	return s.show(c, http.StatusCreated, page.SettingsProps{Secret: secret})
}

func tokenProblem(tr *text.Printer, name string, list []agent.Token) string {
	switch {
	case name == "":
		return tr.T("page.settings.token_unnamed")
	case utf8.RuneCountInString(name) > maxTokenName:
		return tr.T("page.settings.token_long", maxTokenName)
	case len(list) >= maxTokens:
		return tr.T("page.settings.token_many", maxTokens)
	}
	for _, t := range list {
		if t.Name == name {
			return tr.T("page.settings.token_taken")
		}
	}
	return ""
}

// DeleteToken takes an API token of the viewer's own away. NotFound for any other.
func (s *Settings) DeleteToken(c echo.Context) error {
	ctx, v := c.Request().Context(), request.Viewer(c)
	if err := s.Store.DeleteToken(ctx, v.UserID, c.Param("id")); err != nil {
		return err
	}
	s.Streams.EndUser(v.UserID)
	s.Sessions.Flash(c, words(c).T("page.settings.token_deleted"))
	return c.Redirect(http.StatusSeeOther, "/settings")
}
