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

// How often the instance is kept, and for how long streamed pieces of final
// messages stay in the log.
const (
	tickEvery  = time.Second
	pruneEvery = time.Minute
	listEvery  = 10 * time.Minute
	retryEvery = time.Hour   // files that could not be removed
	askFirst   = time.Second // endpoints that do not list their models; then less often
	askEvery   = 20 * time.Second
	keepDeltas = time.Hour
	keepTold   = 30 * 24 * time.Hour
	pruneBatch = 5000
)

// keepClean does periodic work: overdue approvals, messages that wait, child runs that stand still, the last traces of deleted chats and
// documents, old deltas, expired sessions, old deliveries, prices that another process has
// changed, and a look at what is spent.
func (a *app) keepClean(ctx context.Context) {
	tick, prune := time.NewTicker(tickEvery), time.NewTicker(pruneEvery)
	defer tick.Stop()
	defer prune.Stop()
	lost := false  // the database was taken away, which is logged once
	freed := false // by pruning, and may be given back to the file system step by step
	err := a.spikes.Check(ctx)
	for {
		if err != nil && ctx.Err() == nil {
			a.log.Error("housekeeping failed", "error", err)
		}
		err = nil
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			gone := a.db.FilesIntact()
			if gone != nil && !lost {
				a.log.Error("the database was taken away, nothing is written any more", "error", gone)
			}
			if lost = gone != nil; lost {
				continue
			}
			tidyErr := a.tidyIndex(ctx)
			_, eraseErr := a.db.Erase(ctx)
			err = errors.Join(a.approvals.Tick(ctx), a.messages.SendNext(ctx, ""), a.runs.TellStandstills(ctx), tidyErr, eraseErr)
			if freed {
				n, vacuumErr := a.db.ReturnSpace(ctx)
				err, freed = errors.Join(err, vacuumErr), n > 0
			}
		case <-prune.C:
			_, err = a.db.PruneDeltas(ctx, time.Now().Add(-keepDeltas), pruneBatch)
			freed = true
			err = errors.Join(err, a.db.PruneSessions(ctx), a.db.PruneDeliveries(ctx, time.Now().Add(-keepTold)), a.prices.Load(ctx), a.spikes.Check(ctx))
		}
	}
}

// tidyTime is how long the index is tidied at a time: then something else has its turn.
const tidyTime = tickEvery / 2

// tidyIndex takes what was deleted out of the index of documents, a little with each write.
func (a *app) tidyIndex(ctx context.Context) error {
	for began := time.Now(); time.Since(began) < tidyTime; {
		if more, err := a.db.Tidy(ctx); err != nil || !more {
			return err
		}
	}
	return nil
}

// keepListed keeps what is known of the endpoints' models up to date. One that was
// out of reach is asked again soon.
func (a *app) keepListed(ctx context.Context) {
	pause := askFirst
	all, failed := time.NewTicker(listEvery), time.NewTimer(pause)
	defer all.Stop()
	defer failed.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-all.C:
			a.models.Refresh(ctx)
		case <-failed.C:
			a.models.RefreshFailed(ctx)
			pause = min(2*pause, askEvery)
			failed.Reset(pause)
		}
	}
}

// keepSwept removes files of deleted chats and documents that were left behind: all that
// there are at start, then those that could not be removed.
func (a *app) keepSwept(ctx context.Context) {
	every := time.NewTicker(retryEvery)
	defer every.Stop()
	err := errors.Join(a.leftovers.Sweep(ctx), a.leftovers.Retry(ctx), a.documents.Sweep(ctx))
	for {
		if err != nil && ctx.Err() == nil {
			a.log.Error("removing files of deleted chats and documents failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-every.C:
			err = errors.Join(a.leftovers.Retry(ctx), a.documents.Sweep(ctx))
		}
	}
}

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

// Fault is the finding of the last check, "" for none.
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
