package main

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"fusebox/agent/telemetry"
)

// The database is checked when the server starts and once a day. A check that takes
// longer than checkTime is given up: it must not read for ever.
const (
	checkEvery = 24 * time.Hour
	checkTime  = 30 * time.Minute
)

// databaseCheck looks for damage before it spreads into every backup. It works beside
// the server, which does not wait for it.
type databaseCheck struct {
	// checks are what is looked at: each names what is wrong, or nothing.
	checks  []func(context.Context) (faults []string, err error)
	metrics *telemetry.Metrics
	log     *slog.Logger
	found   atomic.Pointer[string]
}

// Fault is what the last check found, "" for nothing.
func (d *databaseCheck) Fault() string {
	if found := d.found.Load(); found != nil {
		return *found
	}
	return ""
}

// run checks at once and then daily, until ctx ends.
func (d *databaseCheck) run(ctx context.Context) {
	daily := time.NewTicker(checkEvery)
	defer daily.Stop()
	for {
		d.look(ctx)
		select {
		case <-ctx.Done():
			return
		case <-daily.C:
		}
	}
}

func (d *databaseCheck) look(ctx context.Context) {
	bounded, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	var faults []string
	var failed error
	for _, check := range d.checks {
		found, err := check(bounded)
		faults, failed = append(faults, found...), errors.Join(failed, err)
	}
	if ctx.Err() != nil {
		return // the server stops
	}
	if failed != nil {
		d.log.Error("checking the database failed", "error", failed)
		faults = append(faults, "it could not be checked")
	}
	fault := strings.Join(faults, "; ")
	d.found.Store(&fault)
	d.metrics.DatabaseChecked(time.Now(), fault == "")
	if fault != "" {
		d.log.Error("the database is damaged: stop the server and restore a backup", "faults", fault)
	}
}
