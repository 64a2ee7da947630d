package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// conversationList is GET /api/v1/conversations: the viewer's own.
func (s *apiConversations) conversationList(c echo.Context) error {
	p, err := pageOf(c)
	if err != nil {
		return err
	}
	items, next, err := s.Store.Conversations(c.Request().Context(), viewerOf(c).UserID, c.QueryParam("search"), p)
	if err != nil {
		return err
	}
	views := make([]conversationView, len(items))
	for i, conv := range items {
		views[i] = conversationJSON(conv)
	}
	return c.JSON(http.StatusOK, listing[conversationView]{views, next})
}
