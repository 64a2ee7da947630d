package main

import (
	"context"
	"log/slog"

	"fusebox/agent"
	"fusebox/agent/provider"
	"fusebox/agent/telemetry"
	"fusebox/agent/tools"
	"fusebox/cmd/fusebox/config"
	"fusebox/store"
	"fusebox/web"
	"fusebox/web/hub"
)

// hubBuffer is how many batches a reader may lag behind before it is let go of.
const hubBuffer = 1024

// watchers hear of each commit. None of them delays it.
type watchers struct {
	hub     *hub.Hub
	metrics *telemetry.Metrics
	tracer  *telemetry.Tracer // nil where traces go nowhere
}

func newWatchers(t config.Telemetry, log *slog.Logger) (w watchers, err error) {
	w = watchers{hub: hub.New(hubBuffer), metrics: telemetry.NewMetrics(agent.SystemClock{}, log, programVersion())}
	w.tracer, err = newTracer(t, log, w.metrics)
	return w, err
}

func (w watchers) tell(events []agent.Event) {
	w.hub.Publish(events)
	w.metrics.Observe(events)
	if w.tracer != nil {
		w.tracer.Observe(events)
	}
}

// committed hears how each commit went, with the writing connection in hand.
func (w watchers) committed(g store.GroupStats) { w.metrics.Committed(g.Writes, g.Waiting, g.Took) }

// start shows the watchers the instance. It is for the time before anything runs.
func (w watchers) start(ctx context.Context, db *store.Store, out *outside, server *web.Server) error {
	instance := telemetry.Instance{
		Source: db, KnowsTool: knows(out.tools), Provider: providerOf(out.models.router), Readers: server.Sockets,
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

func knows(all *tools.Registry) func(string) bool {
	return func(name string) bool {
		_, known := all.Lookup(name)
		return known
	}
}

// providerOf names the provider of a model by the family of its endpoint.
func providerOf(models *provider.Router) func(string) string {
	return func(model string) string { return telemetry.ProviderName(string(models.Family(model))) }
}
