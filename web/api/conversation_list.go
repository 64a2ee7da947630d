package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/web/request"
)

// List is GET /api/v1/conversations: the viewer's own.
func (s *Conversations) List(c echo.Context) error {
	p, err := request.Page(c)
	if err != nil {
		return err
	}
	items, next, err := s.Store.Conversations(c.Request().Context(), request.Viewer(c).UserID, c.QueryParam("search"), p)
	if err != nil {
		return err
	}
	views := make([]conversationView, len(items))
	for i, conv := range items {
		views[i] = conversationJSON(conv)
	}
	return c.JSON(http.StatusOK, request.Listing[conversationView]{Items: views, NextCursor: next})
}
