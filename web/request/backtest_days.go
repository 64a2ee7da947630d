package request

import (
	"fusebox/agent"
	"fusebox/agent/service"
	"net/url"
	"time"
)

// BacktestDays reads the first and the last day, in UTC; what is missing makes
// a span of 30 days, which ends today.
func BacktestDays(first, last string, now time.Time) (from, to time.Time, err error) {
	days := url.Values{"from": {first}, "to": {last}}
	if to, err = ParseDay(days, "to", time.UTC, LastDays(service.StatDays, now, time.UTC).To); err != nil {
		return from, to, err
	}
	if from, err = ParseDay(days, "from", time.UTC, to.AddDate(0, 0, 1-service.StatDays)); err != nil {
		return from, to, err
	}
	switch {
	case from.After(to):
		err = agent.InvalidField("from", "must not be after the last day, %s", to.Format(DayFormat))
	case from.AddDate(0, 0, MaxSpendDays).Before(to):
		err = agent.InvalidField("from", "at most ten years at once")
	}
	return from, to.AddDate(0, 0, 1), err
}
