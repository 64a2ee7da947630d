package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"fusebox/agent"
	"fusebox/agent/notify"
	"fusebox/agent/safehttp"
	"fusebox/agent/telemetry"
	"fusebox/cmd/fusebox/config"
	"fusebox/store"
	"fusebox/web"
	"fusebox/web/hub"
	"fusebox/web/mail"
	"fusebox/web/page"
)

// hubBuffer is the number of batches by which a reader may lag behind before it is let go.
const hubBuffer = 1024

// watchers hear of each commit. None of them delays it.
type watchers struct {
	hub     *hub.Hub
	metrics *telemetry.Metrics
	tracer  *telemetry.Tracer // nil where traces go nowhere
}

// newWatchers makes the exporter of traces, too, where one is configured.
func newWatchers(t config.Telemetry, log *slog.Logger) (watchers, error) {
	w := watchers{hub: hub.New(hubBuffer), metrics: telemetry.NewMetrics(agent.SystemClock{}, log, programVersion())}
	if t.URL() == "" {
		return w, nil
	}
	client, err := clientFor(safehttp.Options{Timeout: otlpTimeout}, t.URL())
	if err != nil {
		return w, err
	}
	w.tracer = telemetry.NewTracer(telemetry.TracerOptions{
		Collector: telemetry.Collector{URL: t.URL(), Headers: t.Headers, Client: client, Clock: agent.SystemClock{}},
		Service:   t.Service, Version: programVersion(), Log: log,
	}, w.metrics)
	return w, nil
}

func (w watchers) tell(events []agent.Event) {
	w.hub.Publish(events)
	w.metrics.Observe(events)
	if w.tracer != nil {
		w.tracer.Observe(events)
	}
}

// start shows the watchers the instance. It is for the time before anything runs.
func (w watchers) start(ctx context.Context, db *store.Store, out *outside, server *web.Server) error {
	instance := telemetry.Instance{
		Source: db, Readers: server.Sockets,
		KnowsTool: func(name string) bool {
			_, known := out.tools.Lookup(name)
			return known
		},
		Provider: func(model string) string { return telemetry.ProviderName(string(out.models.router.Family(model))) },
	}
	if w.tracer != nil {
		w.tracer.Start(ctx, db, instance)
	}
	return w.metrics.Start(ctx, instance)
}

// close lets readers go, and exports the traces that wait as long as ctx allows.
func (w watchers) close(ctx context.Context) {
	w.hub.Close()
	if w.tracer != nil {
		w.tracer.Close(ctx)
	}
}

const otlpTimeout = 10 * time.Second

// serveMetrics answers GET /metrics, and nothing else, on a listener of its own until
// ctx ends. Whoever reaches it needs no token: the address says who that can be.
func serveMetrics(ctx context.Context, addr string, metrics http.Handler, log *slog.Logger) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("listen for metrics (telemetry.metrics_addr): %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	server := &http.Server{
		Handler: mux, ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	go func() { _ = server.Serve(listener) }() // it ends with ctx
	log.Info("serving metrics", "url", "http://"+reachable(listener.Addr())+"/metrics")
	return nil
}

func notifyInfo(n config.Notify) page.NotifyInfo {
	i := page.NotifyInfo{PublicURL: n.PublicURL, From: n.From, Signed: n.WebhookSecret != ""}
	if u, ok := config.WebURL(n.WebhookURL); ok {
		i.WebhookHost = u.Host
	}
	if r, err := notify.ParseRelay(n.SMTPURL); err == nil {
		i.SMTPHost = r.Address()
	}
	return i
}

// webhookClient bounds a request in addition to the bounds of the channel itself.
const webhookClient = 30 * time.Second

func newNotifier(n config.Notify, log *slog.Logger) (*notify.Worker, error) {
	var senders []notify.Sender
	if n.WebhookURL != "" {
		client, err := clientFor(safehttp.Options{Timeout: webhookClient}, n.WebhookURL)
		if err != nil {
			return nil, usagef("notify.webhook_url cannot be used as an address")
		}
		senders = append(senders, notify.NewWebhook(notify.WebhookOptions{
			URL: n.WebhookURL, Secret: n.WebhookSecret, PublicURL: n.PublicURL, Client: client, Clock: agent.SystemClock{},
		}))
	}
	if n.SMTPURL != "" {
		relay, err := notify.ParseRelay(n.SMTPURL)
		if err != nil {
			return nil, usagef("notify.smtp_url %v", err)
		}
		email, err := notify.NewEmail(notify.EmailOptions{Relay: relay, From: n.From, PublicURL: n.PublicURL, Write: mail.Write, Clock: agent.SystemClock{}})
		if err != nil {
			return nil, usagef("notify.from: %v", err)
		}
		senders = append(senders, email)
	}
	return notify.New(agent.SystemClock{}, log, senders...), nil
}
