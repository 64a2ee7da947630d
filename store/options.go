package store

import (
	"cmp"
	"log/slog"
	"time"

	"fusebox/agent"
)

// Options say where the database is and who is notified of commits.
type Options struct {
	// Path is the database file; its folder is made with mode 0700.
	Path   string
	Clock  agent.Clock
	NewID  agent.NewID
	Logger *slog.Logger
	// Channels are the ways to notify people outside.
	Channels Channels
	// Zone is where the days, weeks and months of budgets begin; nil is UTC.
	Zone *time.Location
	// OnCommit gets the events of each commit, after it, in order. It must not block.
	OnCommit func([]agent.Event)
	// OnOutbox is called after each commit that adds notifications. It must not block.
	OnOutbox func()
}

// Channels say how people outside are notified. What has no channel is not kept.
type Channels struct{ Webhook, Email bool }

// has reports whether a channel is configured.
func (c Channels) has(channel agent.Channel) bool {
	return channel == agent.ChannelWebhook && c.Webhook || channel == agent.ChannelEmail && c.Email
}

// env is what a change needs to know besides the database.
type env struct {
	clock    agent.Clock
	newID    agent.NewID
	zone     *time.Location // where the days, weeks and months of budgets begin
	channels Channels
}

func (o Options) env() env {
	return env{clock: o.Clock, newID: o.NewID, zone: cmp.Or(o.Zone, time.UTC), channels: o.Channels}
}
