package store

import (
	"cmp"
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"fusebox/agent"
	"fusebox/agent/lru"
	"fusebox/store/sqlite"
)

// core is what the types of all aggregates share: the database, the branches that are kept
// in memory, and what is configured.
type core struct {
	env
	db *sqlite.DB
	// branches are the newest ones of conversations that were read before.
	branches *lru.Cache[[]agent.Message]
	// agents and workflows are the definitions as they were read last.
	agents    atomic.Pointer[[]agent.Agent]
	workflows atomic.Pointer[[]agent.Workflow]
	log       *slog.Logger
}

// keptBranchBytes bounds what is kept of branches.
const keptBranchBytes = 64 << 20

func newCore(o Options, db *sqlite.DB) *core {
	return &core{env: o.env(), db: db, branches: lru.New[[]agent.Message](keptBranchBytes), log: o.Logger}
}

// forget notes that a conversation was deleted.
func (c *core) forget(conversationID string) {
	c.branches.Take(conversationID)
	c.db.NoteDeletion()
}

// erasing makes a change that takes text away, also out of the write-ahead log.
func (c *core) erasing(ctx context.Context, change func(t *sqlite.Tx) error) error {
	err := c.db.Write(ctx, true, change)
	if err == nil {
		c.db.NoteDeletion()
	}
	return err
}

// env is what a change needs to know besides the database.
type env struct {
	clock    agent.Clock
	newID    agent.NewID
	zone     *time.Location // where the days, weeks and months of budgets begin
	channels Channels
	// runsPerUser is how many runs of one person may be at work at the same time; 0 means no limit.
	runsPerUser int
	// approvalsPerUser is the number of open approvals at which a person can start no more runs; 0 is unlimited.
	approvalsPerUser int
	// ownerMayConfirm and fourEyes say who may decide.
	ownerMayConfirm, fourEyes bool
}

func (o Options) env() env {
	return env{
		clock: o.Clock, newID: o.NewID, zone: cmp.Or(o.Zone, time.UTC), channels: o.Channels, runsPerUser: o.RunsPerUser, approvalsPerUser: o.ApprovalsPerUser,
		ownerMayConfirm: o.OwnerMayConfirm, fourEyes: o.FourEyes,
	}
}

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
	// RunsPerUser is how many runs of one person may be at work at the same time; 0 means no limit.
	RunsPerUser int
	// ApprovalsPerUser is the number of open approvals at which a person can start no more runs; 0 is unlimited.
	ApprovalsPerUser int
	// OwnerMayConfirm and FourEyes say who may decide, as the service has them.
	OwnerMayConfirm, FourEyes bool
	// OnCommit gets the events of each commit, after it, in order. It must not block.
	OnCommit func([]agent.Event)
	// OnOutbox is called after each commit that adds notifications. It must not block.
	OnOutbox func()
	// OnGroup gets the measures of each commit. It must neither block nor allocate.
	OnGroup func(GroupStats)
}

// GroupStats are the measures of one commit.
type GroupStats = sqlite.GroupStats

// Channels say how people outside are notified. What has no channel is not kept.
type Channels struct{ Webhook, Email bool }

// has reports whether a channel is configured.
func (c Channels) has(channel agent.Channel) bool {
	return channel == agent.ChannelWebhook && c.Webhook || channel == agent.ChannelEmail && c.Email
}

func (o Options) database() sqlite.Options {
	return sqlite.Options{Path: o.Path, Clock: o.Clock, NewID: o.NewID, Log: o.Logger, OnCommit: o.OnCommit, OnPosted: o.OnOutbox, OnGroup: o.OnGroup}
}
