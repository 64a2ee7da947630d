package main

import (
	"fusebox/agent/service"
	"fusebox/cmd/fusebox/config"
	"fusebox/store"
)

// newSurgeWatch is what looks for surges.
func newSurgeWatch(c config.Alert, db *store.Store) service.SpendSpikeWatch {
	return service.SpendSpikeWatch{Store: db, Clock: systemClock{}, Factor: c.SurgeFactor, MinMicros: c.SurgeMin}
}
