package page

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/request"
	"fusebox/web/site"
)

// CreateToken makes an API token and shows its secret, this once: only its
// hash is stored, so the answer to the form is the page itself.
func (s *Settings) CreateToken(c echo.Context) error {
	in, err := tokenForm(c)
	secret := ""
	if err == nil {
		_, secret, err = s.Service.Users.AddToken(c.Request().Context(), in)
	}
	switch agent.CodeOf(err) {
	case "":
		return s.showTokens(c, http.StatusCreated, page.TokensProps{Secret: secret})
	case agent.Invalid:
		return s.showTokens(c, http.StatusUnprocessableEntity, page.TokensProps{NewToken: page.NewToken{
			Name: in.Name, Scopes: scopeChoices(site.Words(c), request.GrantOf(c).Role, in.Scopes), Expires: lifeChoices(site.Words(c), in.Days), Errors: request.FieldErrors(site.Words(c), err),
		}})
	default:
		return err
	}
}

func tokenForm(c echo.Context) (service.TokenInput, error) {
	form, err := c.FormParams()
	if err != nil {
		return service.TokenInput{}, agent.Wrap(agent.Invalid, err, "The form cannot be read.")
	}
	in := service.TokenInput{
		UserID: request.Viewer(c).UserID, Name: form.Get("name"), Scopes: form["scope"], Within: request.GrantOf(c).Token,
	}
	if in.Days, err = strconv.Atoi(form.Get("expires")); err != nil {
		return in, agent.InvalidField("expiresInDays", "is not one of the choices")
	}
	return in, nil
}

// DeleteToken takes an API token of the viewer's own away. NotFound for any other.
func (s *Settings) DeleteToken(c echo.Context) error {
	if err := s.Service.Users.DeleteToken(c.Request().Context(), request.Viewer(c).UserID, c.Param("id")); err != nil {
		return err
	}
	return s.Back(c, tokensPath, site.Words(c).T("page.settings.token_deleted"))
}

const tokensPath = "/settings/tokens"

// usualDays is how long a token may be used unless its maker chooses otherwise, and
// usualScopes what for.
const usualDays = 90

var usualScopes = []string{string(agent.TokenRead), string(agent.TokenChat)}

// ShowTokens lists the viewer's tokens.
func (s *Settings) ShowTokens(c echo.Context) error {
	return s.showTokens(c, http.StatusOK, page.TokensProps{})
}

// showTokens fills in the list of tokens and, where nothing was typed, the form of a
// new one.
func (s *Settings) showTokens(c echo.Context, status int, p page.TokensProps) error {
	list, err := s.Store.Tokens(c.Request().Context(), request.Viewer(c).UserID)
	if err != nil {
		return err
	}
	p.MCP = request.PublicLink(c, s.Notify.PublicURL, request.MCPPath)
	now := s.Clock.Now()
	for _, t := range list {
		p.Tokens = append(p.Tokens, page.TokenRow{
			ID: t.ID, Name: t.Name, Scopes: scopesInWords(site.Words(c), t.Scopes), Created: t.CreatedAt, Used: t.LastUsedAt,
			Expires: t.ExpiresAt, Expired: !t.ExpiresAt.IsZero() && !t.ExpiresAt.After(now),
		})
	}
	if p.NewToken.Scopes == nil {
		p.NewToken.Scopes = scopeChoices(site.Words(c), request.GrantOf(c).Role, usualScopes)
		p.NewToken.Expires = lifeChoices(site.Words(c), usualDays)
	}
	return s.Render(c, status, page.SettingsTokens(s.settingsFrame(c, site.Words(c).T("settings.nav.tokens"), "tokens"), p))
}

// scopesInWords lists scopes as the form calls them.
func scopesInWords(tr *text.Printer, scopes agent.TokenScopes) string {
	var labels []string
	for _, s := range scopeChoices(tr, agent.RoleAdmin, nil) {
		if scopes.Has(agent.TokenScope(s.Name)) {
			labels = append(labels, s.Label)
		}
	}
	return strings.Join(labels, tr.T("common.comma"))
}

// scopeChoices are the scopes that are of use to a role.
func scopeChoices(tr *text.Printer, role agent.Role, checked []string) []page.ScopeChoice {
	choices := []page.ScopeChoice{
		{Name: string(agent.TokenRead), Label: tr.T("settings.tokens.scope.read"), Hint: tr.T("settings.tokens.scope.read_hint")},
		{Name: string(agent.TokenChat), Label: tr.T("settings.tokens.scope.chat"), Hint: tr.T("settings.tokens.scope.chat_hint")},
		{Name: string(agent.TokenApprove), Label: tr.T("settings.tokens.scope.approve"), Hint: tr.T("settings.tokens.scope.approve_hint")},
		{Name: string(agent.TokenAdmin), Label: tr.T("settings.tokens.scope.admin"), Hint: tr.T("settings.tokens.scope.admin_hint")},
	}
	if role == agent.RoleAdmin {
		choices[3].Hint = tr.T("settings.tokens.scope.admin_hint_admin")
		choices = append(choices, page.ScopeChoice{
			Name: string(agent.TokenMetrics), Label: tr.T("settings.tokens.scope.metrics"), Hint: tr.T("settings.tokens.scope.metrics_hint"),
		})
	}
	for i, s := range choices {
		choices[i].Checked = slices.Contains(checked, s.Name)
	}
	return choices
}

// lifeChoices are how long a token may be used.
func lifeChoices(tr *text.Printer, days int) []page.Choice {
	return site.Choices(strconv.Itoa(days), [][2]string{
		{"30", tr.T("settings.tokens.life.month")}, {"90", tr.T("settings.tokens.life.quarter")},
		{"365", tr.T("settings.tokens.life.year")}, {"0", tr.T("settings.tokens.life.never")},
	})
}
