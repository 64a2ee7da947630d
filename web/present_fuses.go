package web

import (
	"strconv"
	"time"

	"github.com/a-h/templ"

	"fusebox/views/part"
)

// warnShare is the share of a limit from which a fuse is warm.
const warnShare = 0.8

// fuses is the panel of the newest run.
func (p *presenter) fuses() templ.Component { return part.FusePanel(fusesID, p.run.fuses()) }

func (r runView) fuses() []part.Fuse {
	if r.status == "" {
		return nil
	}
	return []part.Fuse{
		r.loopFuse(),
		r.meter("STEPS", "Model calls of this run", r.tripped.steps, int64(r.steps), int64(r.limits.Steps), plainNumber),
		r.meter("TOKENS", "Tokens of this run", r.tripped.tokens, r.usedTokens, r.limits.Tokens, tokens),
		r.meter("COST", "Money of this run", r.tripped.cost, r.cost, r.limits.CostMicros, r.costText),
		r.timeFuse(),
		r.retryFuse(),
	}
}

func (r runView) costText(micros int64) string { return costText(micros, r.unpriced) }

func plainNumber(n int64) string { return strconv.FormatInt(n, 10) }

// meter is a fuse that counts towards a limit.
func (r runView) meter(name, means, tripped string, used, limit int64, write func(int64) string) part.Fuse {
	f := part.Fuse{Name: name, Means: means, Value: write(used), Level: part.Cool}
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

func (r runView) loopFuse() part.Fuse {
	count := r.loopCount
	if r.streak > 1 {
		count = max(count, r.streak)
	}
	f := part.Fuse{
		Name: "LOOP", Means: "The same calls again and again", Value: plainNumber(int64(count)), Limit: plainNumber(int64(r.loopLimit)),
		Lit: part.Lit(int64(count), int64(r.loopLimit)), Level: r.loop,
	}
	if f.Level == part.Tripped {
		f.Href = r.loopAt
	}
	return f
}

func (r runView) timeFuse() part.Fuse {
	limit := time.Duration(r.limits.DurationMS) * time.Millisecond
	f := r.meter("TIME", "Running time of this run", r.tripped.time, r.active.Milliseconds(), limit.Milliseconds(), func(ms int64) string {
		return clockTime(time.Duration(ms) * time.Millisecond)
	})
	if !r.since.IsZero() {
		f.Since = r.since.Add(-r.active)
	}
	return f
}

func (r runView) retryFuse() part.Fuse {
	f := r.meter("RETRY", "Model calls that had to be tried again", r.tripped.retry, int64(r.retries), int64(r.tries), plainNumber)
	if f.Level == part.Cool && r.tries > 0 && 2*r.retries >= r.tries {
		f.Level = part.Warm
	}
	return f
}
