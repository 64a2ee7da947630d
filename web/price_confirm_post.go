package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// priceConfirmPost imports a list whose changes were shown.
func (s *pagePrices) priceConfirmPost(c echo.Context) error {
	held, err := s.lists.get(c.FormValue("list"), viewerOf(c).UserID)
	if agent.CodeOf(err) == agent.Conflict {
		return s.showPriceImport(c, http.StatusConflict, agent.MessageOf(err), nil, false)
	}
	if err != nil {
		return err
	}
	plan := s.Service.Prices.Plan(held.list, c.FormValue("models") == "all")
	switch err := s.Service.Prices.Import(c.Request().Context(), viewerOf(c), plan, held.source); agent.CodeOf(err) {
	case "":
	case agent.Invalid, agent.Conflict:
		return s.showPriceImport(c, statusOf(agent.CodeOf(err), http.MethodPost), agent.MessageOf(err), nil, false)
	default:
		return err
	}
	s.lists.drop(held.id)
	s.Sessions.flash(c, plural(int64(len(plan.Rows())), "price was", "prices were")+" imported. They hold from today on; past bills stay as they are.")
	return c.Redirect(http.StatusSeeOther, "/admin/models")
}
