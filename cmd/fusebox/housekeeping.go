package main

import (
	"context"
	"errors"
	"time"
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

// keepClean does periodic work: overdue approvals, the last traces of deleted chats,
// old deltas, expired sessions, old deliveries, prices that another process has
// changed, and a look at what is spent.
func (a *app) keepClean(ctx context.Context) {
	tick, prune := time.NewTicker(tickEvery), time.NewTicker(pruneEvery)
	defer tick.Stop()
	defer prune.Stop()
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
			if !a.intact() {
				continue
			}
			_, eraseErr := a.db.Erase(ctx)
			err = errors.Join(a.service.Tick(ctx), eraseErr)
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

// keepSwept removes files of deleted chats that were left behind: all that there are at
// start, then those that could not be removed.
func (a *app) keepSwept(ctx context.Context) {
	every := time.NewTicker(retryEvery)
	defer every.Stop()
	err := errors.Join(a.leftovers.Sweep(ctx), a.leftovers.Retry(ctx))
	for {
		if err != nil && ctx.Err() == nil {
			a.log.Error("removing files of deleted chats failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-every.C:
			err = a.leftovers.Retry(ctx)
		}
	}
}

// intact reports whether the database is still this process's own. Where it is not,
// that is logged once: nothing can be written any more.
func (a *app) intact() bool {
	err := a.db.FilesIntact()
	if err != nil && !a.lost {
		a.log.Error("the database was taken away, nothing is written any more", "error", err)
	}
	a.lost = err != nil
	return !a.lost
}
