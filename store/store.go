// Package store keeps everything in SQLite, with hand-written SQL. It implements
// agent.Journal and service.Store.
//
// From the bottom up: package sqlite is the database, package eventlog the log of
// events, package passages the index of what documents say, package readable what
// conversations show of documents, package spend the sums of the bill. query.go puts
// conditions and pages together; core.go has what the types of the aggregates share. These
// are Users, Conversations, Runs, Journal, Approvals and so on, each in a file of its name,
// without cycles between them. A change that concerns several aggregates is a function that takes the transaction.
// Store, at the top, composes the types.
//
// It imports agent, agent/lru, agent/sources, migrations and the packages below it, never
// agent/service, web or views. The SQL keeps to what PostgreSQL understands too:
// placeholders in order of first use, times as integer milliseconds, RETURNING and ON
// CONFLICT, JSON as text.
package store

import (
	"context"
	"errors"
	"log/slog"

	"fusebox/agent"
	"fusebox/store/eventlog"
	"fusebox/store/passages"
	"fusebox/store/spend"
	"fusebox/store/sqlite"
)

// Store is the database: the types of the aggregates on one core. Each of them is
// complete for its aggregate and can be passed on alone. Their methods are
// promoted, so that a Store can also be passed where several are needed. It is
// safe for concurrent use.
type Store struct {
	*core

	*userStore
	*Memory
	*passageIndex
	*passageVectors
	sessions *Sessions
	*Settings

	*conversationStore
	*eventLog
	*Runs
	*Journal

	*approvalStore
	*inboxStore
	*ReviewerStats
	*Guards
	*Policy
	*knownToolStore
	*OpenAPIDocuments
	*importStore
	*connectionStore
	*agentStore
	*workflowStore
	*collectionStore
	*leftoverStore
	*documentStore

	*ledgerStore
	*spendSums
	*budgetStore
	*priceStore

	*AuditLog
	*alertStore
	*Outbox
}

var _ agent.Journal = (*Store)(nil)

// The types whose name is also that of one of their methods are embedded in Store
// under another name, because a field hides a promoted method of the same name.
type (
	userStore         = Users
	conversationStore = Conversations
	approvalStore     = Approvals
	inboxStore        = Inbox
	knownToolStore    = KnownTools
	ledgerStore       = Ledger
	budgetStore       = Budgets
	priceStore        = Prices
	leftoverStore     = Leftovers
	importStore       = Imports
	documentStore     = Documents
	connectionStore   = Connections
	agentStore        = Agents
	workflowStore     = Workflows
	collectionStore   = Collections
	passageIndex      = passages.Index
	passageVectors    = passages.Vectors
	spendSums         = spend.Sums
	eventLog          = eventlog.Log
	alertStore        = Alerts
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
	if _, err := s.RebuildDamaged(ctx, nil); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func compose(c *core) *Store {
	index := passages.New(c.db, c.log)
	return &Store{
		core: c,

		userStore:      &Users{c, newTokenUses()},
		Memory:         &Memory{c},
		passageIndex:   index,
		passageVectors: passages.NewVectors(c.db, c.bookEmbedding),
		sessions:       &Sessions{c},
		Settings:       &Settings{c},

		conversationStore: &Conversations{c},
		eventLog:          eventlog.New(c.db),
		Runs:              &Runs{c},
		Journal:           &Journal{c, eventlog.NewLane(c.db)},

		approvalStore: &Approvals{c},
		inboxStore:    &Inbox{c},
		ReviewerStats: &ReviewerStats{c},
		Guards:        &Guards{c},
		Policy:        &Policy{c},

		knownToolStore:   &KnownTools{c},
		OpenAPIDocuments: &OpenAPIDocuments{c},
		connectionStore:  &Connections{c},
		agentStore:       &Agents{c},
		workflowStore:    &Workflows{c},
		collectionStore:  &Collections{c},
		leftoverStore:    &Leftovers{c},
		importStore:      &Imports{c},
		documentStore:    &Documents{c, index},

		ledgerStore: &Ledger{c},
		spendSums:   spend.New(c.db),
		budgetStore: &Budgets{c},
		priceStore:  &Prices{c},

		AuditLog:   &AuditLog{c},
		alertStore: &Alerts{c},
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
