package throttle

import (
	"slices"
	"sync"
	"time"

	"fusebox/agent"
)

// The bounds of what strangers can make the audit log grow by.
const (
	maxNotes   = 30
	noteWindow = time.Hour
)

// notes lets one line about a key pass in a minute, and so many in an hour.
type notes struct {
	clock agent.Clock
	mu    sync.Mutex
	lines []note
}

type note struct {
	key string
	at  time.Time
}

func (b *notes) allows(key string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.clock.Now()
	b.lines = slices.DeleteFunc(b.lines, func(n note) bool { return now.Sub(n.at) >= noteWindow })
	again := slices.ContainsFunc(b.lines, func(n note) bool { return n.key == key && now.Sub(n.at) < failureWindow })
	if again || len(b.lines) >= maxNotes {
		return false
	}
	b.lines = append(b.lines, note{key, now})
	return true
}
