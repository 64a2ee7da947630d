package main

import (
	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/cmd/fusebox/config"
	"fusebox/store"
)

// newSpendSpikeWatch is what looks for spikes.
func newSpendSpikeWatch(c config.Alert, db *store.Store) service.SpendSpikeWatch {
	return service.SpendSpikeWatch{Store: db, Clock: agent.SystemClock{}, Factor: c.SurgeFactor, MinMicros: c.SurgeMin}
}
