package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
)

// chatCreate makes a conversation of its first message: the form of the page
// for a new chat. Where the message is not taken, no conversation is left.
func (s *Server) chatCreate(c echo.Context) error {
	text := c.FormValue("content")
	if text == "" {
		text = c.FormValue("example")
	}
	model, mode := c.FormValue("model"), agent.ApprovalMode(c.FormValue("mode"))
	conv, err := s.newConversation(c.Request().Context(), viewerOf(c), agent.ConversationPatch{Model: &model, ApprovalMode: &mode})
	if err == nil {
		err = s.startChat(c, conv, service.Post{ConversationID: conv.ID, Content: text, ClientID: c.FormValue("client_id")})
	}
	switch {
	case err == nil:
		return c.Redirect(http.StatusSeeOther, "/c/"+conv.ID)
	case isPersons(err):
		return s.renderNewChat(c, statusOf(agent.CodeOf(err), http.MethodPost), text, agent.MessageOf(err))
	default:
		return err
	}
}

// startChat stores the conversation and its first message.
func (s *Server) startChat(c echo.Context, conv agent.Conversation, post service.Post) error {
	v, ctx := viewerOf(c), c.Request().Context()
	if err := s.Store.CreateConversation(ctx, conv); err != nil {
		return err
	}
	_, err := s.Desk.Post(ctx, v, post)
	if err == nil {
		return nil
	}
	if delErr := s.Store.DeleteConversation(ctx, v, conv.ID); delErr != nil {
		s.Logger.Error("deleting an empty conversation failed", "conversation_id", conv.ID, "error", delErr)
	}
	return err
}

// isPersons reports whether an error is one that the person at the form can
// mend: the form comes back with his text and the reason.
func isPersons(err error) bool {
	code := agent.CodeOf(err)
	return code == agent.Invalid || code == agent.Conflict || code == agent.Unavailable
}
