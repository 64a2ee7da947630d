package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// Update is PATCH /api/v1/conversations/{id}.
func (s *Conversations) Update(c echo.Context) error {
	var in agent.ConversationPatch
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	ctx, v, id := c.Request().Context(), request.Viewer(c), c.Param("id")
	if _, err := s.Service.Conversations.Own(ctx, v, id); err != nil {
		return err
	}
	conv, err := s.Service.Conversations.Update(ctx, v, id, in)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, conversationJSON(*conv))
}
