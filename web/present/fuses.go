package present

import (
	"strconv"
	"time"

	"github.com/a-h/templ"

	"fusebox/views/part"
	"fusebox/views/text"
)

// warnShare is the share of a limit from which a fuse is warm.
const warnShare = 0.8

// Fuses is the panel of the newest run.
func (p *Presenter) Fuses() templ.Component {
	return part.FusePanel(fusesID, p.Run.Fuses(p.Text, p.TokensOnly))
}

// Fuses are the run's fuses, that of money only for those who are shown it.
func (r RunView) Fuses(tr *text.Printer, tokensOnly bool) []part.Fuse {
	if r.Status == "" {
		return nil
	}
	fuses := []part.Fuse{
		r.loopFuse(tr),
		r.meter(fuseName{tr.T("present.fuse.steps"), tr.T("present.fuse.steps_means")}, r.tripped.steps, int64(r.steps), int64(r.limits.Steps), PlainNumber),
		r.meter(fuseName{tr.T("present.fuse.tokens"), tr.T("present.fuse.tokens_means")}, r.tripped.tokens, r.usedTokens, r.limits.Tokens, Tokens),
	}
	if !tokensOnly {
		fuses = append(fuses, r.costFuse(tr))
	}
	return append(fuses, r.timeFuse(tr), r.retryFuse(tr))
}

// fuseName is what stands on a fuse's plate, and what it counts.
type fuseName struct{ name, means string }

func (r RunView) costFuse(tr *text.Printer) part.Fuse {
	f := r.meter(fuseName{tr.T("present.fuse.cost"), tr.T("present.fuse.cost_means")}, r.tripped.cost, r.cost, r.limits.CostMicros, Money)
	if r.unpriced > 0 && r.priced == 0 {
		f.Value = tr.T("present.usage.no_price")
	}
	return f
}

// PlainNumber writes a count in full.
func PlainNumber(n int64) string { return strconv.FormatInt(n, 10) }

// meter is a fuse that counts towards a limit.
func (r RunView) meter(of fuseName, tripped string, used, limit int64, write func(int64) string) part.Fuse {
	f := part.Fuse{Name: of.name, Means: of.means, Value: write(used), Level: part.Cool}
	if limit > 0 {
		f.Limit = write(limit)
		f.Lit = part.Lit(used, limit)
		if float64(used) >= warnShare*float64(limit) {
			f.Level = part.Warm
		}
	}
	if tripped != "" {
		f.Level, f.Href = part.Tripped, tripped
	}
	return f
}

func (r RunView) loopFuse(tr *text.Printer) part.Fuse {
	count := r.loopCount
	if r.streak > 1 {
		count = max(count, r.streak)
	}
	f := part.Fuse{
		Name: tr.T("present.fuse.loop"), Means: tr.T("present.fuse.loop_means"), Value: PlainNumber(int64(count)), Limit: PlainNumber(int64(r.loopLimit)),
		Lit: part.Lit(int64(count), int64(r.loopLimit)), Level: r.loop,
	}
	if f.Level == part.Tripped {
		f.Href = r.loopAt
	}
	return f
}

func (r RunView) timeFuse(tr *text.Printer) part.Fuse {
	limit := time.Duration(r.limits.DurationMS) * time.Millisecond
	f := r.meter(fuseName{tr.T("present.fuse.time"), tr.T("present.fuse.time_means")}, r.tripped.time, r.active.Milliseconds(), limit.Milliseconds(), func(ms int64) string {
		return clockTime(time.Duration(ms) * time.Millisecond)
	})
	if !r.since.IsZero() {
		f.Since = r.since.Add(-r.active)
	}
	return f
}

func (r RunView) retryFuse(tr *text.Printer) part.Fuse {
	f := r.meter(fuseName{tr.T("present.fuse.retry"), tr.T("present.fuse.retry_means")}, r.tripped.retry, int64(r.retries), int64(r.tries), PlainNumber)
	if f.Level == part.Cool && r.tries > 0 && 2*r.retries >= r.tries {
		f.Level = part.Warm
	}
	return f
}
