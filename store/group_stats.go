package store

import "time"

// GroupStats are the measures of one commit.
type GroupStats struct {
	// Writes is how many writes shared the commit, Waiting how many were queued when
	// it ended.
	Writes, Waiting int
	// Took is the time from the beginning of the transaction until it was durable.
	Took time.Duration
}
