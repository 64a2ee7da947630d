package service_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

// hoursOf is n hours in each of which so much was spent.
func hoursOf(n int, micros ...int64) []int64 {
	var all []int64
	for range n {
		all = append(all, micros...)
	}
	return all
}

func TestSurge(t *testing.T) {
	t.Parallel()
	const dollar = 1_000_000
	for name, row := range map[string]struct {
		hours  []int64
		now    int64
		factor float64
		median int64
		alarm  bool
	}{
		"above":                {hours: hoursOf(24, dollar), now: 5*dollar + 1, factor: 5, median: dollar, alarm: true},
		"at the factor":        {hours: hoursOf(24, dollar), now: 5 * dollar, factor: 5, median: dollar},
		"a broken factor":      {hours: hoursOf(24, dollar), now: 2_600_000, factor: 2.5, median: dollar, alarm: true},
		"off":                  {hours: hoursOf(24, dollar), now: 99 * dollar, factor: 0, median: dollar},
		"too young":            {hours: hoursOf(23, dollar), now: 99 * dollar, factor: 5, median: dollar},
		"nothing yet":          {now: 99 * dollar, factor: 5},
		"idle hours are none":  {hours: append(hoursOf(140, 0), hoursOf(23, dollar)...), now: 99 * dollar, factor: 5, median: dollar},
		"nights do not halve":  {hours: append(hoursOf(100, 0), hoursOf(24, 4*dollar)...), now: 19 * dollar, factor: 5, median: 4 * dollar},
		"cents raise none":     {hours: hoursOf(24, 100), now: dollar - 1, factor: 5, median: 100},
		"a dollar does":        {hours: hoursOf(24, 100), now: dollar, factor: 5, median: 100, alarm: true},
		"between two":          {hours: hoursOf(12, dollar, 3*dollar), now: 10*dollar + 1, factor: 5, median: 2 * dollar, alarm: true},
		"one wild hour before": {hours: append(hoursOf(24, dollar), 1000*dollar), now: 6 * dollar, factor: 5, median: dollar, alarm: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := slices.Clone(row.hours)
			median, alarm := service.SpendSpike(row.hours, row.now, row.factor, dollar)
			if median != row.median || alarm != row.alarm {
				t.Errorf("median %d, alarm %v", median, alarm)
			}
			if !slices.Equal(given, row.hours) {
				t.Error("it changes what it is given")
			}
		})
	}
}

// bills is a SurgeStore in memory.
type bills struct {
	hours  map[time.Time]int64
	raised map[string]agent.Alert
}

func (b bills) HourlySpend(_ context.Context, from, to time.Time) ([]agent.HourSpend, error) {
	var all []agent.HourSpend
	for hour, micros := range b.hours {
		if !hour.Before(from) && hour.Before(to) {
			all = append(all, agent.HourSpend{Hour: hour, Micros: micros})
		}
	}
	return all, nil
}

func (b bills) RaiseAlert(_ context.Context, a agent.Alert) error {
	if _, known := b.raised[a.ID]; !known {
		b.raised[a.ID] = a
	}
	return nil
}

// TestSpendSpikeWatch: an hour that spikes is told once while it runs, or in the next
// hour where its last minutes did it; it becomes part of what is usual.
func TestSpendSpikeWatch(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	hour := clock.Now().Truncate(time.Hour)
	b := bills{map[time.Time]int64{}, map[string]agent.Alert{}}
	for i := range 30 {
		b.hours[hour.Add(-time.Duration(2*i+1)*time.Hour)] = 1_000_000
	}
	b.hours[hour.Add(-8*24*time.Hour)] = 900_000_000 // longer ago than a week
	w := service.SpendSpikeWatch{Store: b, Clock: clock, Factor: 5, MinMicros: 1_000_000}
	look := func(when string, want int) {
		t.Helper()
		if err := w.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(b.raised) != want {
			t.Errorf("%s: %d alerts, want %d: %+v", when, len(b.raised), want, b.raised)
		}
	}
	look("quiet", 0)
	b.hours[hour] = 5_500_000
	look("spike", 1)
	b.hours[hour] = 7_000_000
	look("more of it", 1)
	clock.Advance(time.Hour)
	look("the hour is over", 1)
	b.hours[hour.Add(time.Hour)] = 6_000_000 // after the last look at it
	clock.Advance(time.Hour)
	look("the last minutes", 2)
	a := agent.SpendSpikeAlert(hour, 5_500_000, 1_000_000, 5, clock.Now())
	if got := b.raised[a.ID].Message; got != "$5.50 was spent in the hour from "+hour.Format("2 Jan 15:04 UTC")+", 5.5 times the usual $1.00." || got != a.Message {
		t.Errorf("told %q", got)
	}
	w.Factor = 0
	clear(b.raised)
	look("off", 0)
}
