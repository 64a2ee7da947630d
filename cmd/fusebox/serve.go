package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"fusebox/agent"
	"fusebox/agent/guards"
	"fusebox/agent/loop"
	"fusebox/agent/notify"
	"fusebox/agent/policy"
	"fusebox/agent/prices"
	"fusebox/agent/provider"
	"fusebox/agent/service"
	"fusebox/store"
	"fusebox/web"
)

// grace is how long streams and runs may go on once the process is asked to stop.
const grace = 10 * time.Second

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
	log := slog.New(slog.NewTextHandler(p.stderr, nil))
	if err := hideEnvironment(); err != nil {
		return err
	}
	release, err := lockData(c.data)
	if err != nil {
		return err
	}
	defer release()
	// The port is taken first: who cannot have it has changed nothing.
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	defer func() { _ = listener.Close() }()

	c.notify.publicURL = pick(c.notify.publicURL, publicAddress(listener))
	notifier, err := c.notify.newNotifier(log)
	if err != nil {
		return err
	}
	watching, err := newWatchers(c.telemetry, log)
	if err != nil {
		return err
	}
	db, err := store.Open(ctx, store.Options{
		Path: c.db, Clock: systemClock{}, NewID: newID, Logger: log, OnCommit: watching.tell,
		Channels: c.notify.channels(), Zone: c.zone, OnOutbox: notifier.Wake,
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
	return a.run(ctx, listener)
}

// app is the wired program.
type app struct {
	log    *slog.Logger
	db     *store.Store
	desk   *service.Desk
	runner *loop.Runner
	models *provider.Router
	surge  service.SurgeWatch
	prices *prices.Book
	web    *web.Server

	watching watchers
	notifier *notify.Worker
}

// newApp wires everything: which implementation stands behind which interface.
func newApp(ctx context.Context, c config, log *slog.Logger, db *store.Store, watching watchers) (*app, error) {
	code, err := firstAccount(ctx, c, log, db)
	if err != nil {
		return nil, err
	}
	if n, err := db.RecoverLeases(ctx); err != nil {
		return nil, err
	} else if n > 0 {
		log.Info("recovering runs of a process that ended", "runs", n)
	}
	var raw func(agent.Exchange)
	if c.modelCfg.rawLog {
		raw = recorder(db, log)
	}
	out, err := connect(ctx, &c, log, raw)
	if err != nil {
		return nil, err
	}
	book := c.newBook(db)
	if err := book.Load(ctx); err != nil {
		return nil, err
	}
	engine := newLoop(c, log, db, out, book)
	runner := &loop.Runner{
		Loop: engine, Clock: systemClock{}, Log: log, Owner: newID(), Lease: 30 * time.Second, Parallel: 64,
	}
	desk := &service.Desk{
		Store: db, Runner: runner, Tools: out.tools, Clock: systemClock{}, NewID: newID, DefaultModel: c.model,
		Limits: agent.Limits{
			Tokens: c.runTokens, ConversationTokens: c.convToken, CostMicros: c.runCost,
		},
		Guards:          c.guard,
		OwnerMayConfirm: c.policy.ownerMayConfirm, FourEyes: c.policy.fourEyes,
		OnTimeout: agent.OnTimeout(c.approval.onTimeout), Timeout: c.approval.timeout, UndoWindow: c.approval.undoWindow,
		EscalateTo: agent.Audience(c.approval.escalateTo), Policy: engine.Policy,
	}
	server, err := web.New(web.Options{
		Store: db, Sessions: db.Sessions(), Desk: desk, Hub: watching.hub, Tools: out.tools, Files: out.tools, Clock: systemClock{}, NewID: newID,
		Models: out.models, DefaultModel: c.model, Prices: book,
		RawLog: c.modelCfg.rawLog, SetupCode: code, Guards: c.guard, RunTokens: c.runTokens, Zone: c.zone,
		Detectors: guards.Detectors, Backtest: backtester(db, c.guard, out.tools.Specs()),
		PolicyRules: c.policy.rules, Usual: policy.Usual,
		Hosts: c.hosts, Secure: c.secure, Notify: c.notify.info(), Metrics: watching.metrics.Handler(), Logger: log, Version: programVersion(),
	})
	if err != nil {
		return nil, err
	}
	a := &app{
		log: log, db: db, watching: watching, desk: desk, runner: runner, models: out.models, surge: c.alert.watch(db), prices: book, web: server,
	}
	return a, watching.start(ctx, db, out, server)
}

// recordTimeout bounds the writing of one raw exchange.
const recordTimeout = 10 * time.Second

// recorder keeps raw exchanges with models. One that cannot be written is lost;
// it must not hold a run up.
func recorder(db *store.Store, log *slog.Logger) func(agent.Exchange) {
	return func(x agent.Exchange) {
		ctx, cancel := context.WithTimeout(context.Background(), recordTimeout)
		defer cancel()
		x.ID = newID()
		if err := db.AddExchange(ctx, x); err != nil {
			log.Warn("recording a raw exchange failed", "run_id", x.RunID, "error", err)
		}
	}
}

// firstAccount makes the admin that the environment names, or a code for
// /setup, as long as there is no account.
func firstAccount(ctx context.Context, c config, log *slog.Logger, db *store.Store) (code string, err error) {
	n, err := db.CountUsers(ctx)
	if err != nil || n > 0 {
		return "", err
	}
	if c.adminEmail == "" && c.adminPass == "" {
		code = rand.Text()[:10]
		log.Info("no accounts yet: open /setup and enter this code", "setup_code", code)
		return code, nil
	}
	if err := checkAccount(c.adminEmail, c.adminPass); err != nil {
		return "", usagef("environment variables FUSEBOX_ADMIN_EMAIL and FUSEBOX_ADMIN_PASSWORD: %s", agent.MessageOf(err))
	}
	u := agent.User{ID: newID(), Email: c.adminEmail, Role: agent.RoleAdmin, CreatedAt: time.Now()}
	ctx = agent.WithViewer(ctx, agent.Viewer{Email: agent.System, Place: "environment"})
	if err := db.CreateFirstUser(ctx, u, service.HashPassword(c.adminPass)); err != nil {
		return "", err
	}
	log.Info("admin account made", "email", c.adminEmail)
	return "", nil
}

func checkAccount(email, password string) error {
	if err := service.CheckEmail(email); err != nil {
		return err
	}
	return service.CheckPassword(password)
}

// run serves until ctx ends: then it accepts nothing new, gives runs and
// streams their grace, and persists.
func (a *app) run(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler: a.web.Handler(), ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		a.work(ctx)
	}()
	go a.keepHouse(ctx)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	a.log.Info("listening", "url", "http://"+reachable(listener.Addr()))
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	a.log.Info("stopping", "grace", grace)
	return a.stop(context.WithoutCancel(ctx), server, stopped)
}

// work plays runs and tells people outside until ctx ends and the grace is over.
func (a *app) work(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { a.notifier.Run(ctx, a.db, grace) })
	a.runner.Run(ctx, grace)
	all.Wait()
}

// stop accepts nothing new, lets runs and their readers come to a rest within
// the grace, and ends what is left.
func (a *app) stop(ctx context.Context, server *http.Server, runs <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, grace+closeTime)
	defer cancel()
	down := make(chan error, 1)
	go func() { down <- server.Shutdown(ctx) }()
	<-runs // bounded by grace: the runner lets go of what is left then
	a.web.Close()
	a.watching.close(ctx)
	if err := <-down; err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("shut down: %w", err)
	}
	return nil
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
