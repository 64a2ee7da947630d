package provider

import (
	"slices"
	"sync"
)

// maxCapabilities bounds for how many models refusals are remembered.
const maxCapabilities = 1000

// capabilities remembers, by model, which rows of onLeaving its refusals have taught.
type capabilities struct {
	mu   sync.Mutex
	rows map[string][]string
}

func (l *capabilities) of(model string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.rows[model])
}

func (l *capabilities) add(model, row string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rows == nil || len(l.rows) >= maxCapabilities {
		l.rows = make(map[string][]string)
	}
	if !slices.Contains(l.rows[model], row) {
		l.rows[model] = append(l.rows[model], row)
	}
}
