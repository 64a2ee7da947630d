package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"fusebox/agent"
	"fusebox/store"
)

// grace bounds streams and runs after the process is asked to stop.
// Container runtimes kill after ten seconds, and ending takes some too.
const grace = 5 * time.Second

// closeTime bounds requests after the last stream has ended.
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
	c, err := p.loadAlone("serve", "", args)
	if err != nil {
		return err
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

	c.Notify.PublicURL = cmp.Or(c.Notify.PublicURL, "http://"+reachable(listener.Addr()))
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
		Channels: store.Channels{Webhook: c.Notify.WebhookURL != "", Email: c.Notify.SMTPURL != ""}, Zone: c.Zone, RunsPerUser: c.Run.PerUser, ApprovalsPerUser: c.Approval.PerUser, OnOutbox: notifier.Wake,
		OnGroup:         func(g store.GroupStats) { watching.metrics.Committed(g.Writes, g.Waiting, g.Took) },
		OwnerMayConfirm: c.Policy.OwnerMayConfirm, FourEyes: c.Policy.FourEyes,
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

// lockData makes this process the only server of a data folder, and of a database
// wherever it is. Holding the locks proves that no other process is running:
// whatever a run's row says of its owner, that owner is gone. The kernel drops
// the locks when the process ends, however it ends.
func lockData(dir, database string) (release func(), err error) {
	folder, err := lockFile(filepath.Join(dir, "fusebox.lock"), fmt.Sprintf("data folder %s", dir), "-data")
	if err != nil {
		return nil, err
	}
	beside, err := lockPath(database)
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	base, err := lockFile(beside, fmt.Sprintf("database %s", database), "-db")
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	return func() { _, _ = folder.Close(), base.Close() }, nil // the kernel drops the locks either way
}

// lockDatabase locks the file itself too, which may have other names than the one by
// which lockData finds its lock: hard links. It makes the file where there is none. The
// file stays open until the store is closed, because SQLite's own locks would go with it.
func lockDatabase(database string) (release func(), err error) {
	f, err := lockFile(database, fmt.Sprintf("database %s", database), "-db")
	if err != nil {
		return nil, err
	}
	return func() { _ = f.Close() }, nil // the kernel drops the lock either way
}

// lockFile takes the lock of a file, which is made where there is none. What names
// whose lock it is, flag how to choose another one.
func lockFile(path, what, flag string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("%s cannot be created: %w", what, err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be written: %w", what, err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = fmt.Errorf("%s is in use by another server; stop it, or choose another one with %s", what, flag)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// lockPath is the lock file of a database: beside the file itself, by whichever
// symbolic links it was named.
func lockPath(database string) (string, error) {
	target, err := filepath.EvalSymlinks(database)
	if errors.Is(err, fs.ErrNotExist) {
		target, err = database, nil // it is made at the first start
	}
	if err != nil {
		return "", fmt.Errorf("database %s cannot be found: %w", database, err)
	}
	return target + ".lock", nil
}

// By how many percent the heap grows before it is collected.
const (
	// heapGrowth is for the server: little is live in it, so that collecting it twice
	// as often as usual is cheap.
	heapGrowth = 50
	// sweepGrowth is for a command that reads a lot, keeps little, and ends.
	sweepGrowth = 400
)

// boundHeap sets the heap's growth, unless GOGC asks for another one than Go's usual.
func boundHeap(growth int) {
	if set := debug.SetGCPercent(growth); set != 100 {
		debug.SetGCPercent(set)
	}
}
