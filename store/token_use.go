package store

import (
	"context"
	"sync"
	"time"

	"fusebox/agent"
	"fusebox/agent/lru"
)

// tokenUseGrain is how exactly the last use of a token is kept: a write per
// request would be too much.
const tokenUseGrain = time.Hour

// maxTokenUses bounds how many tokens tokenUses remembers.
const maxTokenUses = 10_000

// tokenUses remembers of which tokens this process has written down a use, so that of
// many requests at once only one writes.
type tokenUses struct {
	mu    *sync.Mutex
	noted *lru.Cache[time.Time]
}

func newTokenUses() tokenUses {
	return tokenUses{&sync.Mutex{}, lru.New[time.Time](maxTokenUses)}
}

// first reports whether a use is the first one within the grain.
func (x tokenUses) first(id string, now time.Time) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if now.Sub(x.noted.Get(id)) < tokenUseGrain {
		return false
	}
	x.noted.Put(id, now, 1)
	return true
}

// noteTokenUse writes down that a token is used, at most once an hour.
func (s *Users) noteTokenUse(ctx context.Context, t agent.Token, now time.Time) {
	if now.Sub(t.LastUsedAt) < tokenUseGrain || !s.uses.first(t.ID, now) {
		return
	}
	err := s.db.Write(ctx, false, func(x *tx) error {
		_, err := x.exec(`UPDATE tokens SET last_used_at = $1 WHERE id = $2`, ms(now), t.ID)
		return err
	})
	if err != nil { // a full disk must not keep people from reading
		s.log.Warn("the use of a token could not be noted", "token_id", t.ID, "error", err)
	}
}
