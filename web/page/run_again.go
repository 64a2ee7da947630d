package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/web/request"
)

// Retry is the button below a failed run: a new run goes on where it stopped.
func (s *Runs) Retry(c echo.Context) error {
	v, ctx := request.Viewer(c), c.Request().Context()
	run, err := s.Store.Run(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	if _, err := s.Desk.Retry(ctx, v, run.ID); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/c/"+run.ConversationID)
}
