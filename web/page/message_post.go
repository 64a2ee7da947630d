package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// Send takes a message from the form of a chat page. Where a run waits
// for a decision, the page asks whether to wait or to replace it, and keeps the text.
func (s *Chat) Send(c echo.Context) error {
	id, text := c.Param("id"), c.FormValue("content")
	if c.FormValue("wait") != "" {
		return s.renderOne(c, http.StatusOK, id, text, "")
	}
	_, err := s.Desk.Post(c.Request().Context(), request.Viewer(c), service.Post{
		ConversationID: id, Content: text, ClientID: c.FormValue("client_id"), Supersede: c.FormValue("supersede") != "",
	})
	switch {
	case err == nil:
		return c.Redirect(http.StatusSeeOther, "/c/"+id)
	case isPersons(err):
		return s.renderOne(c, request.StatusOf(agent.CodeOf(err), http.MethodPost), id, text, agent.MessageOf(err))
	default:
		return err
	}
}
