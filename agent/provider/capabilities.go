package provider

import (
	"context"
	"slices"
	"sync"
	"time"

	"fusebox/agent/provider/history"
	"fusebox/agent/provider/wire"
)

// maxCapabilities bounds for how many models refusals are remembered.
const maxCapabilities = 1000

// capabilities remembers, by model, which rows of onLeaving its refusals have taught.
type capabilities struct {
	mu   sync.Mutex
	rows map[string][]lesson
}

// lesson is a row that was learned. It holds until a time, or for good where
// that is zero.
type lesson struct {
	row   string
	until time.Time
}

func (l *capabilities) of(model string, now time.Time) (rows []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, learned := range l.rows[model] {
		if learned.until.IsZero() || now.Before(learned.until) {
			rows = append(rows, learned.row)
		}
	}
	return rows
}

func (l *capabilities) add(model, row string, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rows == nil || len(l.rows) >= maxCapabilities && l.rows[model] == nil {
		l.rows = make(map[string][]lesson)
	}
	rows := slices.DeleteFunc(l.rows[model], func(learned lesson) bool { return learned.row == row })
	l.rows[model] = append(rows, lesson{row, until})
}

// cure looks for the row that a refusal calls for. Each is tried once, so there is an end
// to it.
func (p *Provider) cure(ctx context.Context, q *question, f *wire.Failure) bool {
	learned := p.rows(*q)
	row, found := quirk{}, false
	if p.sees(q.model) && history.Pictures(q.history) > 0 {
		row, found = refusedImages(f, learned) // first: what refuses pictures names much else
	}
	refused, failed := f.Status == 400 || f.Status == 422, f.Status >= 500 || f.Status == 0
	for i := 0; i < len(onLeaving) && !found; i++ {
		row = onLeaving[i]
		found = row.refused != nil && (refused || failed && row.template) && row.refused(f.API) &&
			!slices.Contains(learned, row.name) && !slices.Contains(row.families, q.model.Family)
	}
	if !found {
		return false
	}
	switch {
	case row.name == badImage.name:
		q.rows = append(q.rows, row.name)
		p.log.WarnContext(ctx, "the endpoint refuses the images of a request", "model", q.req.Model, "error", f)
	case row.once:
		q.rows = append(q.rows, row.name)
		p.log.ErrorContext(ctx, "the endpoint refuses a history that should be sound", "model", q.req.Model, "error", f)
	default:
		p.learn(q.req.Model, row)
		p.log.InfoContext(ctx, "learned from a refusal", "model", q.req.Model, "row", row.name, "error", f)
	}
	return true
}

// rows are those of onLeaving that were learned for a question.
func (p *Provider) rows(q question) []string {
	return append(p.capabilities.of(q.req.Model, p.clock.Now()), q.rows...)
}

func (p *Provider) learn(model string, row quirk) {
	var until time.Time
	if row.recheck > 0 {
		until = p.clock.Now().Add(row.recheck)
	}
	p.capabilities.add(model, row.name, until)
}
