package main

import (
	"context"
	"log/slog"

	"fusebox/agent"
	"fusebox/agent/provider"
	"fusebox/agent/telemetry"
	"fusebox/agent/tools"
	"fusebox/store"
	"fusebox/web"
	"fusebox/web/hub"
)

// watchers hear of each commit. None of them holds it up.
type watchers struct {
	hub     *hub.Hub
	metrics *telemetry.Metrics
}

func newWatchers(log *slog.Logger) watchers {
	return watchers{hub: hub.New(hubBuffer), metrics: telemetry.NewMetrics(systemClock{}, log, version)}
}

func (w watchers) tell(events []agent.Event) {
	w.hub.Publish(events)
	w.metrics.Observe(events)
}

// start shows the watchers the house. It is for the time before anything runs.
func (w watchers) start(ctx context.Context, db *store.Store, out *outside, server *web.Server) error {
	return w.metrics.Start(ctx, telemetry.House{
		Source: db, KnowsTool: knows(out.tools), Provider: providerOf(out.models), Readers: server.Sockets,
	})
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
