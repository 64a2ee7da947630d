package provider

import (
	"slices"
	"sync"
)

// maxLearned bounds for how many models refusals are remembered.
const maxLearned = 1000

// learned remembers, by model, which rows of onLeaving its refusals have taught.
type learned struct {
	mu   sync.Mutex
	rows map[string][]string
}

func (l *learned) of(model string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.rows[model])
}

func (l *learned) add(model, row string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rows == nil || len(l.rows) >= maxLearned {
		l.rows = make(map[string][]string)
	}
	if !slices.Contains(l.rows[model], row) {
		l.rows[model] = append(l.rows[model], row)
	}
}
