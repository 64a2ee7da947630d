package page

import (
	"cmp"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/web/request"
)

// Show is a user's own account.
func (s *Settings) Show(c echo.Context) error {
	return s.show(c, http.StatusOK, page.SettingsProps{})
}

// show renders the page with what one of its forms has to say.
func (s *Settings) show(c echo.Context, status int, p page.SettingsProps) error {
	ctx, v := c.Request().Context(), request.Viewer(c)
	list, err := s.Store.Tokens(ctx, v.UserID)
	if err != nil {
		return err
	}
	for _, t := range list {
		p.Tokens = append(p.Tokens, page.TokenRow{ID: t.ID, Name: t.Name, Created: t.CreatedAt, Used: t.LastUsedAt})
	}
	if p.Spend, err = s.ownSpend(ctx, v); err != nil {
		return err
	}
	frame := s.shell(c, "Settings", "settings")
	p.MinPassword = strconv.Itoa(service.MinPassword)
	p.Theme = cmp.Or(p.Theme, frame.Theme)
	account, err := s.Store.UserByID(ctx, v.UserID)
	if err != nil {
		return err
	}
	p.Notify, p.Email, p.Inbox = account.Notify, s.Notify.Email(), v.Role.Reviews()
	p.Outputs = outputChoices(account.OutputMode, "As configured here")
	standings, err := s.Store.BudgetStatusesOf(ctx, v.UserID)
	if err != nil {
		return err
	}
	if p.Budgets, err = s.ownBudgetRows(ctx, v, standings); err != nil {
		return err
	}
	return s.render(c, status, page.Settings(frame, p))
}
