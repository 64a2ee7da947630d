package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// Create makes a conversation of its first message: the form of the page
// for a new chat. Where the message is not taken, no conversation is left.
func (s *Chat) Create(c echo.Context) error {
	text := c.FormValue("content")
	if text == "" {
		text = c.FormValue("example")
	}
	model, mode := c.FormValue("model"), agent.ApprovalMode(c.FormValue("mode"))
	ctx, v := c.Request().Context(), request.Viewer(c)
	conv, err := s.Service.Conversations.Start(ctx, v, agent.ConversationPatch{Model: &model, ApprovalMode: &mode}, func(id string) error {
		_, err := s.Desk.Post(ctx, v, service.Post{ConversationID: id, Content: text, ClientID: c.FormValue("client_id")})
		return err
	})
	switch {
	case err == nil:
		return c.Redirect(http.StatusSeeOther, "/c/"+conv.ID)
	case isPersons(err):
		return s.renderNew(c, request.StatusOf(agent.CodeOf(err), http.MethodPost), text, agent.MessageOf(err))
	default:
		return err
	}
}

// isPersons reports whether an error is one that the person at the form can
// mend: the form comes back with his text and the reason.
func isPersons(err error) bool {
	code := agent.CodeOf(err)
	return code == agent.Invalid || code == agent.Conflict || code == agent.Unavailable
}
