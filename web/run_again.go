package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// runAgain is the button below a failed run: a new run goes on where it stopped.
func (s *pageRuns) runAgain(c echo.Context) error {
	v, ctx := viewerOf(c), c.Request().Context()
	run, err := s.Store.Run(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	if _, err := s.Desk.TryAgain(ctx, v, run.ID); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/c/"+run.ConversationID)
}
