package web

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// chatUpdate stores the title and the approval mode of a conversation.
func (s *Server) chatUpdate(c echo.Context) error {
	v, id := viewerOf(c), c.Param("id")
	if _, err := s.ownConversation(c); err != nil {
		return err
	}
	title, mode := strings.TrimSpace(c.FormValue("title")), agent.ApprovalMode(c.FormValue("mode"))
	if title == "" {
		return agent.InvalidField("title", "is empty; give the chat a name")
	}
	patch := agent.ConversationPatch{Title: &title, ApprovalMode: &mode}
	if err := s.checkPatch(c.Request().Context(), v, &patch); err != nil {
		return err
	}
	if _, err := s.Store.UpdateConversation(c.Request().Context(), v, id, patch); err != nil {
		return err
	}
	s.flash(c, "Saved. The mode holds from the next run on.")
	return c.Redirect(http.StatusSeeOther, "/c/"+id)
}
