package store

import (
	"context"
	"errors"
	"io/fs"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/migrations"
)

// Store is the database. It is safe for concurrent use.
type Store struct {
	*core
	*UserStore
	*Settings
	sessions *Sessions
	*ConversationStore
	*EventLog
	*Runs
	*Journal
	*ApprovalStore
	*InboxStore
	*ReviewerStats
	*LedgerStore
	*Spending
	*BudgetStore
	*PriceStore
	*Guards
	*Policy
	*AuditLog
	*AlertStore
	*Outbox
}

var (
	_ agent.Journal     = (*Store)(nil)
	_ service.DeskStore = (*Store)(nil)
)

// A field of Store must not have the name of a method that is promoted to it.
// Until the users of Store take the types themselves, those types whose name is
// also that of a method are embedded under other names.
type (
	UserStore         = Users
	ConversationStore = Conversations
	ApprovalStore     = Approvals
	InboxStore        = Inbox
	LedgerStore       = Ledger
	BudgetStore       = Budgets
	PriceStore        = Prices
	AlertStore        = Alerts
)

// Open opens the database, making and migrating it where needed. A schema that
// is newer than this program is refused.
func Open(ctx context.Context, o Options) (*Store, error) {
	c, err := openCore(ctx, o)
	if err != nil {
		return nil, err
	}
	s := &Store{
		core:              c,
		UserStore:         &Users{c},
		Settings:          &Settings{c},
		sessions:          &Sessions{c},
		ConversationStore: &Conversations{c},
		EventLog:          &EventLog{c},
		Runs:              &Runs{c},
		Journal:           &Journal{c},
		ApprovalStore:     &Approvals{c},
		InboxStore:        &Inbox{c},
		ReviewerStats:     &ReviewerStats{c},
		LedgerStore:       &Ledger{c},
		Spending:          &Spending{c},
		BudgetStore:       &Budgets{c},
		PriceStore:        &Prices{c},
		Guards:            &Guards{c},
		Policy:            &Policy{c},
		AuditLog:          &AuditLog{c},
		AlertStore:        &Alerts{c},
		Outbox:            &Outbox{c},
	}
	n, err := s.chainOldRows(ctx)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if n > 0 {
		s.log.Info("older rows of the audit log were put into its chain", "rows", n)
	}
	return s, nil
}

// Ready checks that the database answers with this program's schema.
func (s *Store) Ready(ctx context.Context) error {
	var have int64
	err := s.read.QueryRowContext(ctx, `SELECT MAX(version_id) FROM goose_db_version`).Scan(&have)
	if err != nil {
		return agent.Wrap(agent.Unavailable, err, "The database does not answer.")
	}
	files, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil || have != int64(len(files)) {
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
