package store

import (
	"time"

	"fusebox/agent"
)

// env is what a change needs to know beside the database.
type env struct {
	clock    agent.Clock
	newID    agent.NewID
	zone     *time.Location // where the days, weeks and months of budgets begin
	channels Channels
}

// Channels say how people outside are told. What has no channel is not kept.
type Channels struct{ Webhook, Email bool }

// has reports whether a channel is configured.
func (c Channels) has(channel agent.Channel) bool {
	return channel == agent.ChannelWebhook && c.Webhook || channel == agent.ChannelEmail && c.Email
}
