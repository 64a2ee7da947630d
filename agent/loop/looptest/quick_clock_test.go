package looptest

import (
	"time"

	"fusebox/agent/agenttest"
)

// patience is the idle time of the provider under test.
const patience = time.Hour

// quickClock lets every wait between two tries of a provider pass at once.
// Longer ones, those for a sign of life, never end.
func quickClock() *agenttest.Clock {
	c := agenttest.NewClock()
	c.Hurry(func(d time.Duration) bool { return d < patience/2 })
	return c
}
