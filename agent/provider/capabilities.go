package provider

import (
	"slices"
	"sync"
	"time"
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

func (l lesson) holds(now time.Time) bool { return l.until.IsZero() || now.Before(l.until) }

// of are the rows that hold for a model.
func (l *capabilities) of(model string, now time.Time) (rows []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, learned := range l.rows[model] {
		if learned.holds(now) {
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
