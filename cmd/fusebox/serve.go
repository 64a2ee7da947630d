package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/store"
)

// grace is how long streams and runs may continue once the process is asked to stop.
// Container runtimes kill after ten seconds, and ending takes some too.
const grace = 5 * time.Second

// closeTime is how long requests may take to end once nothing streams any more.
const closeTime = 2 * time.Second

// The bounds of the HTTP server. There is no write timeout: event logs are
// long, and their writers set deadlines of their own.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = time.Minute
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10
)

func (p process) serve(ctx context.Context, args []string) error {
	c, rest, err := p.loadConfig("serve", args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usagef("unexpected argument %q", rest[0])
	}
	closeInherited() // the configuration may have been one of them
	boundHeap(heapGrowth)
	log := slog.New(slog.NewTextHandler(p.stderr, nil))
	if err := hideEnvironment(); err != nil {
		return err
	}
	release, err := lockData(c.Data, c.Database)
	if err != nil {
		return err
	}
	defer release()
	unlock, err := lockDatabase(c.Database)
	if err != nil {
		return err
	}
	defer unlock()
	// The port is taken first: if it is taken already, nothing has changed.
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	defer func() { _ = listener.Close() }()

	c.Notify.PublicURL = cmp.Or(c.Notify.PublicURL, publicAddress(listener))
	notifier, err := newNotifier(c.Notify, log)
	if err != nil {
		return err
	}
	watching, err := newWatchers(c.Telemetry, log)
	if err != nil {
		return err
	}
	db, err := store.Open(ctx, store.Options{
		Path: c.Database, Clock: agent.SystemClock{}, NewID: newID, Logger: log, OnCommit: watching.tell,
		Channels: channels(c.Notify), Zone: c.Zone, RunsPerUser: c.Run.PerUser, ApprovalsPerUser: c.Approval.PerUser, OnOutbox: notifier.Wake,
		OnGroup: watching.committed, OwnerMayConfirm: c.Policy.OwnerMayConfirm, FourEyes: c.Policy.FourEyes,
	})
	if err != nil {
		return err
	}
	defer func() {
		if err := db.Close(); err != nil {
			log.Error("closing the database failed", "error", err)
		}
	}()
	a, err := newApp(ctx, c, log, db, watching)
	if err != nil {
		return err
	}
	a.notifier = notifier
	if c.Telemetry.MetricsAddr != "" {
		if err := serveMetrics(ctx, c.Telemetry.MetricsAddr, watching.metrics.Handler(), log); err != nil {
			return err
		}
	}
	return a.run(ctx, listener)
}

// reachable names an address that a browser on this machine can open.
func reachable(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return addr.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(strings.TrimSpace(host), port)
}
