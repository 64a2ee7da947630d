package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// runAbort is the stop button of the pages: it leads back to the conversation.
func (s *pageRuns) runAbort(c echo.Context) error {
	v, ctx := viewerOf(c), c.Request().Context()
	run, err := s.Store.Run(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	if err := s.Desk.Abort(ctx, v, run.ID); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/c/"+run.ConversationID)
}
