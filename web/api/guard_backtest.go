package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// Backtest is POST /api/v1/guards/backtest.
func (s *Guards) Backtest(c echo.Context) error {
	var in struct {
		From    string            `json:"from"`
		To      string            `json:"to"`
		Numbers map[string]string `json:"numbers"`
		Rule    agent.ToolRule    `json:"rule"`
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	q := agent.BacktestQuery{Numbers: in.Numbers, Rule: in.Rule}
	var err error
	if q.From, q.To, err = request.BacktestDays(in.From, in.To, s.Clock.Now()); err != nil {
		return err
	}
	result, err := s.Service.Guards.Backtest(c.Request().Context(), q)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, result)
}
