package api

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// Change is PATCH /api/v1/budgets/{id}: what is missing stays as it is.
func (s *Budgets) Change(c echo.Context) error {
	old, err := s.Store.Budget(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	in := service.BudgetInput{
		Who: old.Who, Subject: old.Subject, Span: old.Span, LimitTokens: old.LimitTokens, LimitMicros: old.LimitMicros,
		Soft: old.Soft, AtLimit: old.AtLimit, Model: old.Model,
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	if err := sameBounds(*old, in); err != nil {
		return err
	}
	if err := s.Service.Budgets.Change(c.Request().Context(), request.Viewer(c), *old, in); err != nil {
		return err
	}
	view, err := s.view(c, old.ID)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, view)
}

// sameBounds refuses to move a budget to others: its accounts would not be theirs.
func sameBounds(old agent.Budget, in service.BudgetInput) error {
	for _, f := range []struct {
		name      string
		different bool
	}{
		{"who", in.Who != old.Who}, {"subject", strings.TrimSpace(in.Subject) != old.Subject}, {"window", in.Span != old.Span},
	} {
		if f.different {
			return agent.InvalidField(f.name, "cannot be changed; end this budget and add another one")
		}
	}
	return nil
}
