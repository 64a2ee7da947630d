package service

import (
	"context"
	"slices"
	"time"

	"fusebox/agent"
)

// What a spike is measured against: the hours of a week in which anything was
// spent. With less than a day of them the usual is unknown.
const (
	spikeSpan  = 7 * 24 * time.Hour
	spikeHours = 24
)

// SpendSpike compares what was spent in an hour with the median of earlier hours, in
// micro-USD. Hours without spending do not count. The alarm wants more than
// factor times the median, and at least min; factor 0 wants none.
func SpendSpike(hours []int64, now int64, factor float64, min int64) (median int64, alarm bool) {
	var spent []int64
	for _, micros := range hours {
		if micros > 0 {
			spent = append(spent, micros)
		}
	}
	if len(spent) == 0 {
		return 0, false
	}
	slices.Sort(spent)
	lo, hi := spent[(len(spent)-1)/2], spent[len(spent)/2]
	median = lo + (hi-lo)/2
	return median, factor > 0 && len(spent) >= spikeHours && now >= min && float64(now) > factor*float64(median)
}

// SpendSpikeStore reads hourly spending and raises alerts.
type SpendSpikeStore interface {
	AlertRaiser
	// HourlySpend returns the hours from one instant up to another in which there
	// was a model call, in order.
	HourlySpend(ctx context.Context, from, to time.Time) ([]agent.HourSpend, error)
}

// SpendSpikeWatch looks for hours in which far more is spent than usual.
type SpendSpikeWatch struct {
	Store     SpendSpikeStore
	Clock     agent.Clock
	Factor    float64
	MinMicros int64
}

// Check looks at the hour that runs and at the one before, whose last minutes
// may not have been checked. Each is reported once.
func (w SpendSpikeWatch) Check(ctx context.Context) error {
	if w.Factor == 0 {
		return nil
	}
	now := agent.Stamp(w.Clock)
	this := now.Truncate(time.Hour)
	before := this.Add(-time.Hour)
	hours, err := w.Store.HourlySpend(ctx, before.Add(-spikeSpan), this.Add(time.Hour))
	if err != nil {
		return err
	}
	for _, hour := range []time.Time{before, this} {
		var spent int64
		var usual []int64 // in each hour of the week before
		for _, h := range hours {
			switch {
			case h.Hour.Equal(hour):
				spent = h.Micros
			case h.Hour.Before(hour) && !h.Hour.Before(hour.Add(-spikeSpan)):
				usual = append(usual, h.Micros)
			}
		}
		median, alarm := SpendSpike(usual, spent, w.Factor, w.MinMicros)
		if !alarm {
			continue
		}
		if err := w.Store.RaiseAlert(ctx, agent.SpendSpikeAlert(hour, spent, median, w.Factor, now)); err != nil {
			return err
		}
	}
	return nil
}
