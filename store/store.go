package store

import (
	"context"
	"errors"
	"log/slog"

	"fusebox/agent"
	"fusebox/store/eventlog"
	"fusebox/store/sqlite"
)

// Store is the database: the types of the aggregates on one core. Each of them is
// complete for its aggregate and can be passed on alone. Their methods are
// promoted, so that a Store can also be passed where several are needed. It is
// safe for concurrent use.
type Store struct {
	*core

	*UserStore
	*Memory
	*Passages
	*Vectors
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
	*ImportStore
	*ConnectionStore
	*AgentStore
	*CollectionStore
	*LeftoverStore
	*DocumentStore

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
	// ImportStore is Imports as a field of Store.
	ImportStore = Imports
	// DocumentStore is Documents as a field of Store.
	DocumentStore = Documents
	// ConnectionStore is Connections as a field of Store.
	ConnectionStore = Connections
	// AgentStore is Agents as a field of Store.
	AgentStore = Agents
	// CollectionStore is Collections as a field of Store.
	CollectionStore = Collections
	// EventLog is the log of events as a field of Store.
	EventLog = eventlog.Log
	// AlertStore is Alerts as a field of Store.
	AlertStore = Alerts
)

// Open opens the database, making and migrating it where needed. A schema that
// is newer than this program is refused.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	db, err := sqlite.Open(ctx, o.database())
	if err != nil {
		return nil, err
	}
	s := compose(newCore(o, db))
	n, err := s.chainOldRows(ctx)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if n > 0 {
		s.log.Info("older rows of the audit log were put into its chain", "rows", n)
	}
	if _, err := s.rebuildDamaged(ctx, nil); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func compose(c *core) *Store {
	return &Store{
		core: c,

		UserStore: &Users{c, newTokenUses()},
		Memory:    &Memory{c},
		Passages:  &Passages{c},
		Vectors:   &Vectors{c},
		sessions:  &Sessions{c},
		Settings:  &Settings{c},

		ConversationStore: &Conversations{c},
		EventLog:          eventlog.New(c.db),
		Runs:              &Runs{c},
		Journal:           &Journal{c, eventlog.NewLane(c.db)},

		ApprovalStore: &Approvals{c},
		InboxStore:    &Inbox{c},
		ReviewerStats: &ReviewerStats{c},
		Guards:        &Guards{c},
		Policy:        &Policy{c},

		KnownToolStore:   &KnownTools{c},
		OpenAPIDocuments: &OpenAPIDocuments{c},
		ConnectionStore:  &Connections{c},
		AgentStore:       &Agents{c},
		CollectionStore:  &Collections{c},
		LeftoverStore:    &Leftovers{c},
		ImportStore:      &Imports{c},
		DocumentStore:    &Documents{c},

		LedgerStore: &Ledger{c},
		Spending:    &Spending{c},
		BudgetStore: &Budgets{c},
		PriceStore:  &Prices{c},

		AuditLog:   &AuditLog{c},
		AlertStore: &Alerts{c},
		Outbox:     &Outbox{c},
	}
}

// Close writes what is queued and closes the database.
func (s *Store) Close() error {
	s.lane.Close()
	return s.db.Close()
}

// Sessions returns the store of browser sessions. It is not embedded: its methods
// have the names that the session manager gives them.
func (s *Store) Sessions() *Sessions { return s.sessions }

// PruneSessions removes sessions that have expired; see Sessions.
func (s *Store) PruneSessions(ctx context.Context) error { return s.sessions.PruneSessions(ctx) }
