package page

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// Update stores the title, the model, the approval mode, the output mode and
// the breakers' numbers of a conversation.
func (s *Chat) Update(c echo.Context) error {
	v, id := request.Viewer(c), c.Param("id")
	conv, err := s.Service.Conversations.Own(c.Request().Context(), v, id)
	if err != nil {
		return err
	}
	form, err := c.FormParams()
	if err != nil {
		return agent.Wrap(agent.Invalid, err, "The form could not be read. Go back and try again.")
	}
	title, mode := strings.TrimSpace(c.FormValue("title")), agent.ApprovalMode(c.FormValue("mode"))
	if title == "" {
		return agent.InvalidField("title", "is empty; give the chat a name")
	}
	numbers := formNumbers(*conv, form)
	patch := agent.ConversationPatch{Title: &title, ApprovalMode: &mode, Guards: &numbers}
	if model := c.FormValue("model"); model != conv.Model {
		patch.Model = &model // one that is not offered any more may stay
	}
	if form.Has("output") {
		output := agent.OutputMode(c.FormValue("output"))
		patch.OutputMode = &output
	}
	if _, err := s.Service.Conversations.Update(c.Request().Context(), v, id, patch); err != nil {
		return err
	}
	s.Sessions.Flash(c, "Saved. It holds from the next run on.")
	return c.Redirect(http.StatusSeeOther, "/c/"+id)
}
