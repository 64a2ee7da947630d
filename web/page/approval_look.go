package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// Open is GET /approvals/{id}: the approval's page. That the viewer has
// seen it is noted beside the answer; of the approval itself nothing changes.
func (s *Approval) Open(c echo.Context) error {
	if err := s.load(c); err != nil {
		return err
	}
	s.Presence.NoteLook(request.Viewer(c), c.Param("id"))
	return nil
}

// Look is the sign that an open page gives every few seconds: its
// reader is still looking. It claims nothing and blocks nobody. Forbidden for
// who may not decide, since others need not wait for him.
func (s *Approval) Look(c echo.Context) error {
	v, id := request.Viewer(c), c.Param("id")
	a, err := s.Store.Approval(c.Request().Context(), v, id)
	if err != nil {
		return err
	}
	if !s.Desk.MayDecide(v, *a) {
		return agent.Errorf(agent.Forbidden, "Only who may decide this approval can tell others that he looks at it.")
	}
	if err := s.Store.NotePresence(c.Request().Context(), v, id, c.FormValue("opened") == "true"); err != nil {
		return err
	}
	s.Presence.Stir()
	return c.NoContent(http.StatusNoContent)
}
