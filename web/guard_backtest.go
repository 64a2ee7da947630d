package web

import (
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
)

// guardBacktest is POST /api/v1/guards/backtest.
func (s *apiGuards) guardBacktest(c echo.Context) error {
	var in struct {
		From    string            `json:"from"`
		To      string            `json:"to"`
		Numbers map[string]string `json:"numbers"`
		Rule    agent.ToolRule    `json:"rule"`
	}
	if err := readJSON(c, &in); err != nil {
		return err
	}
	q := agent.BacktestQuery{Numbers: in.Numbers, Rule: in.Rule}
	var err error
	if q.From, q.To, err = backtestDays(in.From, in.To, s.Clock.Now()); err != nil {
		return err
	}
	result, err := s.Service.Guards.Backtest(c.Request().Context(), q)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, result)
}

// backtestDays reads the first and the last day, in UTC; what is missing makes
// a span of 30 days, which ends today.
func backtestDays(first, last string, now time.Time) (from, to time.Time, err error) {
	days := url.Values{"from": {first}, "to": {last}}
	if to, err = parseDay(days, "to", time.UTC, lastDays(service.StatDays, now, time.UTC).To); err != nil {
		return from, to, err
	}
	if from, err = parseDay(days, "from", time.UTC, to.AddDate(0, 0, 1-service.StatDays)); err != nil {
		return from, to, err
	}
	switch {
	case from.After(to):
		err = agent.InvalidField("from", "must not be after the last day, %s", to.Format(dayFormat))
	case from.AddDate(0, 0, maxSpendDays).Before(to):
		err = agent.InvalidField("from", "at most ten years at once")
	}
	return from, to.AddDate(0, 0, 1), err
}
