package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent/service"
	"fusebox/web/request"
)

// Send is POST /api/v1/conversations/{id}/messages.
func (s *Conversations) Send(c echo.Context) error {
	var in struct {
		Content   string            `json:"content"`
		ClientID  string            `json:"clientId"`
		ParentID  string            `json:"parentId"`
		Supersede bool              `json:"supersede"`
		Outputs   map[string]string `json:"outputs"`
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	done, err := s.Desk.Post(c.Request().Context(), request.Viewer(c), service.Post{
		ConversationID: c.Param("id"), Content: in.Content, ClientID: in.ClientID,
		ParentID: in.ParentID, Supersede: in.Supersede, Outputs: in.Outputs,
	})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusAccepted, done)
}
