package present

import (
	"strconv"
	"time"

	"github.com/a-h/templ"

	"fusebox/views/part"
)

// warnShare is the share of a limit from which a fuse is warm.
const warnShare = 0.8

// Fuses is the panel of the newest run.
func (p *Presenter) Fuses() templ.Component {
	fuses := p.Run.Fuses()
	if p.TokensOnly {
		fuses = NoCostFuse(fuses)
	}
	return part.FusePanel(fusesID, fuses)
}

// Fuses are the breakers of the run as its page shows them.
func (r RunView) Fuses() []part.Fuse {
	if r.Status == "" {
		return nil
	}
	return []part.Fuse{
		r.loopFuse(),
		r.meter("STEPS", "Model calls of this run", r.tripped.steps, int64(r.steps), int64(r.limits.Steps), PlainNumber),
		r.meter("TOKENS", "Tokens of this run", r.tripped.tokens, r.usedTokens, r.limits.Tokens, Tokens),
		r.costFuse(),
		r.timeFuse(),
		r.retryFuse(),
	}
}

func (r RunView) costFuse() part.Fuse {
	f := r.meter("COST", "Money of this run", r.tripped.cost, r.cost, r.limits.CostMicros, Money)
	if r.unpriced > 0 && r.priced == 0 {
		f.Value = NoPrice
	}
	return f
}

// PlainNumber writes a count in full.
func PlainNumber(n int64) string { return strconv.FormatInt(n, 10) }

// meter is a fuse that counts towards a limit.
func (r RunView) meter(name, means, tripped string, used, limit int64, write func(int64) string) part.Fuse {
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

func (r RunView) loopFuse() part.Fuse {
	count := r.loopCount
	if r.streak > 1 {
		count = max(count, r.streak)
	}
	f := part.Fuse{
		Name: "LOOP", Means: "The same calls again and again", Value: PlainNumber(int64(count)), Limit: PlainNumber(int64(r.loopLimit)),
		Lit: part.Lit(int64(count), int64(r.loopLimit)), Level: r.loop,
	}
	if f.Level == part.Tripped {
		f.Href = r.loopAt
	}
	return f
}

func (r RunView) timeFuse() part.Fuse {
	limit := time.Duration(r.limits.DurationMS) * time.Millisecond
	f := r.meter("TIME", "Running time of this run", r.tripped.time, r.active.Milliseconds(), limit.Milliseconds(), func(ms int64) string {
		return clockTime(time.Duration(ms) * time.Millisecond)
	})
	if !r.since.IsZero() {
		f.Since = r.since.Add(-r.active)
	}
	return f
}

func (r RunView) retryFuse() part.Fuse {
	f := r.meter("RETRY", "Model calls that had to be tried again", r.tripped.retry, int64(r.retries), int64(r.tries), PlainNumber)
	if f.Level == part.Cool && r.tries > 0 && 2*r.retries >= r.tries {
		f.Level = part.Warm
	}
	return f
}
