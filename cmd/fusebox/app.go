package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"fusebox/agent"
	"fusebox/agent/agents"
	"fusebox/agent/documents"
	"fusebox/agent/guards"
	"fusebox/agent/imports"
	"fusebox/agent/loop"
	"fusebox/agent/notify"
	"fusebox/agent/policy"
	"fusebox/agent/prices"
	"fusebox/agent/provider"
	"fusebox/agent/service"
	"fusebox/agent/titles"
	"fusebox/agent/vectors"
	"fusebox/cmd/fusebox/config"
	"fusebox/store"
	"fusebox/web"
)

type app struct {
	log       *slog.Logger
	db        *store.Store
	approvals *service.Approvals
	messages  *service.Messages
	runs      *service.Runs
	runner    *loop.Runner
	models    *provider.Router
	spikes    service.SpendSpikeWatch
	check     *databaseCheck
	prices    *prices.Book
	web       *web.Server
	sources   *toolSources
	queue     *documents.Queue
	imports   *imports.Queue
	titles    *titles.Namer
	finder    *vectors.Index
	// leftovers are files of deleted chats.
	leftovers *service.Leftovers
	documents *service.Documents

	watching watchers
	notifier *notify.Worker
}

// seed takes over the agents and workflows that the configuration has and the program ships. A
// workflow of the configuration names agents that there are then.
func seed(ctx context.Context, c *config.Config, db *store.Store) error {
	if err := db.SeedAgents(ctx, c.Agents, agents.Shipped()); err != nil {
		return err
	}
	all, err := db.Agents(ctx)
	if err != nil {
		return err
	}
	if err := c.CheckWorkflows(all); err != nil {
		return err
	}
	return db.SeedWorkflows(ctx, c.Workflows, agents.Workflows())
}

// newApp wires everything: which implementation is behind which interface.
func newApp(ctx context.Context, c config.Config, log *slog.Logger, db *store.Store, watching watchers) (*app, error) {
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
	if c.Model.RawLog {
		raw = recorder(db, log)
	}
	out, err := connect(ctx, &c, log, db.OwnsFile, db, raw)
	if err != nil {
		return nil, err
	}
	if err := seed(ctx, &c, db); err != nil {
		return nil, err
	}
	book := newBook(c, db, out.models.Names)
	if err := book.Load(ctx); err != nil {
		return nil, err
	}
	out.finder.Price = func(model string) (agent.Price, bool) { return book.Price(model, time.Now()) }
	engine := newLoop(c, log, db, out, book)
	runner := &loop.Runner{
		Loop: engine, Clock: agent.SystemClock{}, Log: log, Owner: newID(), Lease: 30 * time.Second, Parallel: c.Run.Parallel,
	}
	approvals := &service.Approvals{
		Store: db, Runner: runner, Tools: out.tools, Clock: agent.SystemClock{}, NewID: newID, Policy: engine.Policy,
		OwnerMayConfirm: c.Policy.OwnerMayConfirm, FourEyes: c.Policy.FourEyes,
		OnTimeout: agent.OnTimeout(c.Approval.OnTimeout), Timeout: c.Approval.Timeout, UndoWindow: c.Approval.UndoWindow,
		EscalateTo: agent.Audience(c.Approval.EscalateTo),
	}
	runs := &service.Runs{Store: db, Approvals: approvals, Runner: runner, Tools: out.tools, Clock: agent.SystemClock{}}
	namer := &titles.Namer{
		Store: db, Provider: out.models.router, Counter: out.models.router, Model: c.Titles, Price: engine.Settings.Price, Left: runner.Left, Clock: agent.SystemClock{}, Log: log,
	}
	messages := &service.Messages{
		Store: db, Runs: runs, Runner: runner, Tools: out.tools, Clock: agent.SystemClock{}, NewID: newID, Guards: c.Guard, Titles: namer,
		Limits: agent.Limits{Tokens: c.RunTokens, ConversationTokens: c.ConversationTokens, CostMicros: c.RunCost},
	}
	engine.Withdraw, engine.Next = approvals.Withdraw, messages.SendNext
	secret, err := db.Secret(ctx)
	if err != nil {
		return nil, err
	}
	check := &databaseCheck{checks: []func(context.Context) ([]string, error){db.QuickCheck}, metrics: watching.metrics, log: log}
	server := web.New(web.Options{
		Options: service.Options{
			Store: db, Approvals: approvals, Messages: messages, Runs: runs, Tools: out.tools, Clock: agent.SystemClock{}, NewID: newID, DefaultModel: c.DefaultModel, Guards: c.Guard,
			Files: out.tools, Shelf: out.shelf, Queue: out.queue, Imports: out.imports, Downloads: out.web, Finder: out.finder,
			Models: out.models.router, Outlet: out.models, Sealer: out.models.sealer, Prices: book, Logger: log,
			Detectors: guards.Detectors, Backtest: backtester(db, c.Guard, out.tools.Specs), Learn: learner(db, c.Guard, out.tools.Specs, maxLearningTime),
		},
		Sessions: db.Sessions(), Hub: watching.hub, FileLimits: agent.FileLimits(c.Files), Samples: c.Samples, RawLog: c.Model.RawLog, SetupCode: code, Zone: c.Zone,
		PolicyRules: c.Policy.Rules, Usual: policy.Usual, LeftOutTools: out.models.router.LeftOutTools, Walls: out.tools.Walls(), ToolServers: out.sources.servers, OpenAPI: out.sources.services,
		Hosts: c.Hosts, Secure: c.SecureCookies, Notify: notifyInfo(c.Notify), Metrics: watching.metrics.Handler(), MetricsToken: c.Telemetry.MetricsToken,
		URL: c.Notify.PublicURL, TrustedProxies: c.TrustedProxies, Secret: secret, RequestsPerSecond: c.RequestsPerSecond, DatabaseFault: check.Fault,
		Version: programVersion(),
	})
	a := &app{
		log: log, db: db, watching: watching, approvals: approvals, messages: messages, runs: runs, runner: runner, models: out.models.router, prices: book, web: server,
		spikes:    service.SpendSpikeWatch{Store: db, Clock: agent.SystemClock{}, Factor: c.Alert.SurgeFactor, MinMicros: c.Alert.SurgeMin},
		leftovers: &service.Leftovers{Store: db, Files: out.tools, Clock: agent.SystemClock{}, Log: log},
		documents: out.documents,
		check:     check, sources: out.sources, queue: out.queue, imports: out.imports, finder: out.finder, titles: namer,
	}
	return a, watching.start(ctx, db, out, server)
}

const recordTimeout = 10 * time.Second

// recorder keeps raw exchanges with models. One that cannot be written is lost;
// it must not delay a run.
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

// run serves until ctx ends: then it accepts nothing new, gives runs and
// streams their grace, and persists.
func (a *app) run(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler: a.web.Handler(), ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a.work(ctx)
	}()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	a.log.Info("listening", "url", "http://"+reachable(listener.Addr()))
	// What only the start needed is given back: parsed migrations, the tables of packages
	// that are built and read once. Pools give their buffers up with the second collection.
	runtime.GC()
	debug.FreeOSMemory()
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	a.log.Info("stopping", "grace", grace)
	return a.stop(context.WithoutCancel(ctx), server, ended)
}

// work plays runs, tells people outside, and keeps house until ctx ends and the grace is
// over. The servers of tools end after the runs that may use them. What outlasts stop's
// bound is left behind; all else has ended when the database is closed, because what still
// reads then keeps SQLite from taking the write-ahead log into the file.
func (a *app) work(ctx context.Context) {
	living, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	var all sync.WaitGroup
	all.Go(func() { a.sources.run(living) })
	all.Go(func() { a.notifier.Run(ctx, a.db, grace) })
	for _, keep := range []func(context.Context){a.keepClean, a.keepListed, a.keepSwept, a.check.run, a.queue.Run, a.imports.Run, a.finder.Run, a.titles.Run} {
		all.Go(func() { keep(ctx) })
	}
	a.sources.ready(ctx)
	a.runner.Run(ctx, grace)
	end()
	all.Wait()
}

// stop accepts nothing new, lets runs and their readers come to a rest within
// the grace, and ends what is left.
func (a *app) stop(ctx context.Context, server *http.Server, work <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, grace+closeTime)
	defer cancel()
	down := make(chan error, 1)
	go func() { down <- server.Shutdown(ctx) }()
	select {
	case <-work: // the runner lets go of what is left after the grace
	case <-ctx.Done():
		a.log.Warn("stopping before all work has ended", "after", grace+closeTime)
	}
	a.web.Close()
	telling, told := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer told()
	a.watching.close(telling)
	if err := <-down; err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("shut down: %w", err)
	}
	return nil
}

// firstAccount makes the admin that the environment names, or a code for
// /setup, as long as there is no account.
func firstAccount(ctx context.Context, c config.Config, log *slog.Logger, db *store.Store) (code string, err error) {
	n, err := db.CountUsers(ctx)
	if err != nil || n > 0 {
		return "", err
	}
	if c.AdminEmail == "" && c.AdminPassword == "" {
		code = rand.Text()[:10]
		log.Info("no accounts yet: open /setup and enter this code", "setup_code", code)
		return code, nil
	}
	if err := checkAccount(c.AdminEmail, c.AdminPassword); err != nil {
		return "", usagef("environment variables FUSEBOX_ADMIN_EMAIL and FUSEBOX_ADMIN_PASSWORD: %s", agent.MessageOf(err))
	}
	u := agent.User{ID: newID(), Email: c.AdminEmail, Role: agent.RoleAdmin, CreatedAt: time.Now()}
	ctx = agent.WithViewer(ctx, agent.Viewer{Email: agent.System, Place: "environment"})
	if err := db.CreateFirstUser(ctx, u, service.HashPassword(c.AdminPassword)); err != nil {
		return "", err
	}
	log.Info("admin account created", "email", c.AdminEmail)
	return "", nil
}

func checkAccount(email, password string) error {
	if err := service.CheckEmail(email); err != nil {
		return err
	}
	return service.CheckPassword(password)
}
