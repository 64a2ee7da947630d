package main

import (
	"fusebox/agent/service"
	"fusebox/store"
)

// newSurgeWatch is what looks for surges.
func newSurgeWatch(c alertConfig, db *store.Store) service.SurgeWatch {
	return service.SurgeWatch{Store: db, Clock: systemClock{}, Factor: c.surgeFactor, MinMicros: c.surgeMin}
}
