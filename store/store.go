package store

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"time"

	"github.com/pressly/goose/v3"

	"fusebox/agent"
	"fusebox/migrations"
)

// Store is the database: the types of the aggregates on one core. Each of them is
// complete for its aggregate and can be passed on alone. Their methods are
// promoted, so that a Store can also be passed where several are needed. It is
// safe for concurrent use.
type Store struct {
	*core

	*UserStore
	*Memory
	sessions *Sessions
	*Settings

	*ConversationStore
	*EventLog
	*Runs
	*Journal

	*ApprovalStore
	*InboxStore
	*ReviewerStats
	*Guards
	*Policy
	*KnownToolStore
	*OpenAPIDocuments
	*ConnectionStore
	*LeftoverStore

	*LedgerStore
	*Spending
	*BudgetStore
	*PriceStore

	*AuditLog
	*AlertStore
	*Outbox
}

var _ agent.Journal = (*Store)(nil)

// The types whose name is also that of one of their methods are embedded in Store
// under another name, because a field hides a promoted method of the same name.
type (
	// UserStore is Users as a field of Store.
	UserStore = Users
	// ConversationStore is Conversations as a field of Store.
	ConversationStore = Conversations
	// ApprovalStore is Approvals as a field of Store.
	ApprovalStore = Approvals
	// InboxStore is Inbox as a field of Store.
	InboxStore = Inbox
	// KnownToolStore is KnownTools as a field of Store.
	KnownToolStore = KnownTools
	// LedgerStore is Ledger as a field of Store.
	LedgerStore = Ledger
	// BudgetStore is Budgets as a field of Store.
	BudgetStore = Budgets
	// PriceStore is Prices as a field of Store.
	PriceStore = Prices
	// LeftoverStore is Leftovers as a field of Store.
	LeftoverStore = Leftovers
	// ConnectionStore is Connections as a field of Store.
	ConnectionStore = Connections
	// AlertStore is Alerts as a field of Store.
	AlertStore = Alerts
)

// Open opens the database, making and migrating it where needed. A schema that
// is newer than this program is refused.
func Open(ctx context.Context, o Options) (*Store, error) {
	c, err := openCore(ctx, o)
	if err != nil {
		return nil, err
	}
	s := compose(c)
	n, err := s.chainOldRows(ctx)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if n > 0 {
		s.log.Info("older rows of the audit log were put into its chain", "rows", n)
	}
	return s, nil
}

func compose(c *core) *Store {
	return &Store{
		core: c,

		UserStore: &Users{c},
		Memory:    &Memory{c},
		sessions:  &Sessions{c},
		Settings:  &Settings{c},

		ConversationStore: &Conversations{c},
		EventLog:          &EventLog{c},
		Runs:              &Runs{c},
		Journal:           &Journal{c},

		ApprovalStore: &Approvals{c},
		InboxStore:    &Inbox{c},
		ReviewerStats: &ReviewerStats{c},
		Guards:        &Guards{c},
		Policy:        &Policy{c},

		KnownToolStore:   &KnownTools{c},
		OpenAPIDocuments: &OpenAPIDocuments{c},
		ConnectionStore:  &Connections{c},
		LeftoverStore:    &Leftovers{c},

		LedgerStore: &Ledger{c},
		Spending:    &Spending{c},
		BudgetStore: &Budgets{c},
		PriceStore:  &Prices{c},

		AuditLog:   &AuditLog{c},
		AlertStore: &Alerts{c},
		Outbox:     &Outbox{c},
	}
}

// Ready checks that the database is still this process's own, and answers with this program's schema.
func (s *Store) Ready(ctx context.Context) error {
	if err := s.FilesIntact(); err != nil {
		return err
	}
	var have int64
	err := s.read.QueryRowContext(ctx, `SELECT MAX(version_id) FROM goose_db_version`).Scan(&have)
	if err != nil {
		return agent.Wrap(agent.Unavailable, err, "The database does not answer.")
	}
	files, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return err
	}
	newest, err := goose.NumericComponent(files[len(files)-1])
	if err != nil || have != newest {
		return agent.Wrap(agent.Unavailable, err, "The database has another schema version than this program.")
	}
	return nil
}

// Close writes what is queued and closes the database.
func (s *Store) Close() error { return s.close() }

// Sessions returns the store of browser sessions. It is not embedded: its methods
// have the names that the session manager gives them.
func (s *Store) Sessions() *Sessions { return s.sessions }

// PruneSessions removes sessions that have expired; see Sessions.
func (s *Store) PruneSessions(ctx context.Context) error { return s.sessions.PruneSessions(ctx) }

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
	// RunsPerUser is how many runs of one person are advanced at the same time; 0 is no limit.
	RunsPerUser int
	// ApprovalsPerUser is the number of open approvals at which a person can start no more runs; 0 is unlimited.
	ApprovalsPerUser int
	// OwnerMayConfirm and FourEyes say who may decide, as service.Runs has them.
	OwnerMayConfirm, FourEyes bool
	// OnCommit gets the events of each commit, after it, in order. It must not block.
	OnCommit func([]agent.Event)
	// OnOutbox is called after each commit that adds notifications. It must not block.
	OnOutbox func()
	// OnGroup gets the measures of each commit. It must neither block nor allocate.
	OnGroup func(GroupStats)
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
	// runsPerUser is how many runs of one person are advanced at the same time; 0 is no limit.
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
