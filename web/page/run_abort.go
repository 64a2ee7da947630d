package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/web/request"
)

// Abort is the stop button of the pages: it leads back to the conversation.
func (s *Runs) Abort(c echo.Context) error {
	v, ctx := request.Viewer(c), c.Request().Context()
	run, err := s.Store.Run(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	if err := s.Desk.Abort(ctx, v, run.ID); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/c/"+run.ConversationID)
}
