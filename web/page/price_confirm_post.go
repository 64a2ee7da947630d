package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/present"
	"fusebox/web/request"
)

// ConfirmImport imports a list whose changes were shown.
func (s *Prices) ConfirmImport(c echo.Context) error {
	held, err := s.lists.get(c.FormValue("list"), request.Viewer(c).UserID)
	if agent.CodeOf(err) == agent.Conflict {
		return s.showImport(c, http.StatusConflict, agent.MessageOf(err), nil, false)
	}
	if err != nil {
		return err
	}
	plan := s.Service.Prices.Plan(held.list, c.FormValue("models") == "all")
	switch err := s.Service.Prices.Import(c.Request().Context(), request.Viewer(c), plan, held.source); agent.CodeOf(err) {
	case "":
	case agent.Invalid, agent.Conflict:
		return s.showImport(c, request.StatusOf(agent.CodeOf(err), http.MethodPost), agent.MessageOf(err), nil, false)
	default:
		return err
	}
	s.lists.drop(held.id)
	s.Sessions.Flash(c, present.Plural(int64(len(plan.Rows())), "price was", "prices were")+" imported. They hold from today on; past bills stay as they are.")
	return c.Redirect(http.StatusSeeOther, "/admin/models")
}
