package web

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// guardBacktest is POST /api/v1/guards/backtest.
func (s *Server) guardBacktest(c echo.Context) error {
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
	result, err := s.backtest(c.Request().Context(), q)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, result)
}

// backtestDays reads the first and the last day, in UTC; what is missing makes
// a span of 30 days, which ends today.
func backtestDays(first, last string, now time.Time) (from, to time.Time, err error) {
	days := url.Values{"from": {first}, "to": {last}}
	if to, err = parseDay(days, "to", time.UTC, lastDays(guardDays, now, time.UTC).To); err != nil {
		return from, to, err
	}
	if from, err = parseDay(days, "from", time.UTC, to.AddDate(0, 0, 1-guardDays)); err != nil {
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

// backtest tries other settings on past runs. Errors name the fields
// numbers.KEY and rule.FIELD. Nothing is executed and nothing changes.
func (s *Server) backtest(ctx context.Context, q agent.BacktestQuery) (agent.BacktestResult, error) {
	if s.Backtest == nil {
		return agent.BacktestResult{}, agent.Errorf(agent.Unavailable, "This server does not keep past runs to try settings on.")
	}
	q.Rule = tidyRule(q.Rule)
	if q.Rule.Tool != "" || !q.Rule.Empty() {
		if err := checkRule(q.Rule); err != nil {
			return agent.BacktestResult{}, under("rule", err)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(q.Numbers)) {
		n, ok := agent.FindGuardNumber(key)
		if !ok {
			return agent.BacktestResult{}, agent.InvalidField("numbers."+key, "is no number of the breakers; GET /api/v1/guards lists them")
		}
		if _, err := n.Parse(q.Numbers[key]); err != nil {
			return agent.BacktestResult{}, agent.InvalidField("numbers."+key, "%q is not allowed; allowed: %s", q.Numbers[key], n.Allowed())
		}
	}
	result, err := s.Backtest(ctx, q)
	result.New, result.Gone = notNull(result.New), notNull(result.Gone)
	return result, under("numbers", err)
}

// under puts the fields of an error into the object that they stand in.
func under(object string, err error) error {
	var e *agent.Error
	if !errors.As(err, &e) || len(e.Fields) == 0 {
		return err
	}
	inside := *e
	inside.Fields = slices.Clone(e.Fields)
	for i, f := range inside.Fields {
		inside.Fields[i].Field = object + "." + f.Field
		if rest, named := strings.CutPrefix(inside.Message, f.Field+": "); named {
			inside.Message = inside.Fields[i].Field + ": " + rest
		}
	}
	return &inside
}
