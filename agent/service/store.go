package service

import (
	"context"
	"time"

	"fusebox/agent"
)

// Store is what commands, pages, and the API read and write, by aggregate. The store
// package implements it. Methods that take a Viewer answer NotFound for what they may
// not see.
type Store interface {
	DecisionStore
	MessageStore
	RunStore
	RunRecords
	ConversationStore
	ApprovalStore
	UserStore
	MemoryStore
	BudgetStore
	PriceStore
	LedgerStore
	AuditStore
	AlertStore
	DeliveryStore
	RuleStore
	GuardStore
	SettingStore
	ConnectionStore
	AgentStore
	WorkflowStore
	LeftoverStore
	DocumentStore
	CollectionStore
	ImportStore

	// Ready checks the database and that its schema is the one of this program.
	Ready(ctx context.Context) error
	// Writable writes something small; Unavailable where that fails or takes too long.
	Writable(ctx context.Context) error
	// Room is Full where the disk with the database is.
	Room() error
	// FilesIntact checks that the database was not taken away from this server.
	FilesIntact() error
	// LastBackup is nil where nobody has made one.
	LastBackup(ctx context.Context) (*agent.Backup, error)
}

// ApprovalReader reads one approval.
type ApprovalReader interface {
	Approval(ctx context.Context, v agent.Viewer, id string) (*agent.Approval, error)
}

// ConversationReader reads one conversation.
type ConversationReader interface {
	Conversation(ctx context.Context, v agent.Viewer, id string) (*agent.Conversation, error)
}

// PathReader reads of which messages and runs a branch is made. The caller has checked the viewer.
type PathReader interface {
	// Path is that of the branch that a message is on, to the newest message below it, or of the one that is
	// chosen for ""; PathTo of the one that ends with this very message, "" for none, and PathOfRun of a run's.
	Path(ctx context.Context, conversationID, messageID string) (agent.Path, error)
	PathOfRun(ctx context.Context, conversationID, runID string) (agent.Path, error)
	PathTo(ctx context.Context, conversationID, leafID string) (agent.Path, error)
}

// RunReader reads runs, and what they wait for.
type RunReader interface {
	// Run also answers reviewers, where the run has an approval.
	Run(ctx context.Context, v agent.Viewer, id string) (*agent.Run, error)
	// ActiveRun returns the conversation's run that is queued, running or paused; NotFound if none.
	// The caller has checked the viewer.
	ActiveRun(ctx context.Context, conversationID string) (*agent.Run, error)
	// PendingApprovalIDs are the run's approvals that can be decided, oldest first.
	PendingApprovalIDs(ctx context.Context, runID string) ([]string, error)
}

// UserReader reads one account.
type UserReader interface {
	UserByID(ctx context.Context, id string) (*agent.User, error)
}

// UserStore has accounts and their API tokens.
type UserStore interface {
	UserReader
	// CreateUser answers Conflict where the e-mail address is taken.
	CreateUser(ctx context.Context, u agent.User, passwordHash string) error
	// CreateFirstUser is CreateUser, and Conflict where there is any user already.
	CreateFirstUser(ctx context.Context, u agent.User, passwordHash string) error
	// UserByEmail also returns the password hash.
	UserByEmail(ctx context.Context, email string) (*agent.User, string, error)
	Users(ctx context.Context, search string, p agent.Page) ([]agent.User, string, error)
	CountUsers(ctx context.Context) (int, error)
	// PatchUser changes what the patch names; Conflict where no enabled admin would be left.
	PatchUser(ctx context.Context, id string, p agent.UserPatch) error
	// Groups are the names of the groups that users belong to or budgets are for.
	Groups(ctx context.Context) ([]string, error)
	// EndSessions answers NotFound for an account that is not there.
	EndSessions(ctx context.Context, id string) error
	// SetPassword ends the account's sessions, and takes its API tokens away unless they are kept.
	SetPassword(ctx context.Context, id, passwordHash string, keepTokens bool) error
	// CreateReset takes the place of the link before; Conflict for a disabled account.
	CreateReset(ctx context.Context, userID string, hash []byte, expires time.Time) error
	// UserByReset answers NotFound for a link that was used, has expired, or was replaced.
	UserByReset(ctx context.Context, hash []byte) (*agent.User, error)
	// UseReset is SetPassword for who has the link, once.
	UseReset(ctx context.Context, userID string, hash []byte, passwordHash string, keepTokens bool) error
	// SetOutputMode sets in which portions answers are shown to a person; "" as configured.
	SetOutputMode(ctx context.Context, userID string, m agent.OutputMode) error
	// SetLanguage sets the language of a person's pages; "" as the browser asks for.
	SetLanguage(ctx context.Context, userID, language string) error
	// UserNames are all accounts, with nothing but their ids, addresses, and names.
	UserNames(ctx context.Context) ([]agent.User, error)
	// SetName sets what a person wants to be called; "" for nothing but the address.
	SetName(ctx context.Context, userID, name string) error
	// SetNotify sets whether a person gets e-mails about approvals and budgets.
	SetNotify(ctx context.Context, userID string, on bool) error

	UserData(ctx context.Context, id string) (agent.UserData, error)
	ConversationsOf(ctx context.Context, userID string) ([]string, error)
	// RemoveUser answers Conflict where the account has a conversation, or no admin would be left.
	RemoveUser(ctx context.Context, id string, gone agent.UserData) error

	CreateToken(ctx context.Context, t agent.Token, hash []byte) error
	// UserByToken answers NotFound for one that has expired, and for disabled accounts.
	UserByToken(ctx context.Context, hash []byte) (*agent.User, *agent.Token, error)
	Tokens(ctx context.Context, userID string) ([]agent.Token, error)
	DeleteToken(ctx context.Context, userID, id string) error
}

// ConversationStore has conversations, their messages and their event logs.
type ConversationStore interface {
	ConversationReader
	PathReader
	CreateConversation(ctx context.Context, c agent.Conversation) error
	// Conversations lists the owner's own, newest change first; search matches titles.
	Conversations(ctx context.Context, ownerID, search string, p agent.Page) ([]agent.Conversation, string, error)
	// ChatList is Conversations for people to choose from.
	ChatList(ctx context.Context, q agent.ChatListQuery) (agent.ChatList, error)
	// UpdateConversation is for the owner only: Forbidden for others who may see it.
	UpdateConversation(ctx context.Context, v agent.Viewer, id string, patch agent.ConversationPatch) (*agent.Conversation, error)
	// DeleteConversation removes it with all that belongs to it, the ledger aside;
	// Conflict while a run is active.
	DeleteConversation(ctx context.Context, v agent.Viewer, id string) error
	// Messages is the branch that is chosen, oldest first.
	Messages(ctx context.Context, v agent.Viewer, id string) ([]agent.Message, error)
	// Message is one of a person or the model.
	Message(ctx context.Context, v agent.Viewer, conversationID, id string) (agent.Message, error)
	// SetFeedback is after OwnMessage.
	SetFeedback(ctx context.Context, f agent.Feedback) error
	// RemoveFeedback is for the owner only: Forbidden for others who may see the message.
	RemoveFeedback(ctx context.Context, v agent.Viewer, messageID string) error
	// FeedbackIn is by the ids of answers. The caller has checked the viewer.
	FeedbackIn(ctx context.Context, conversationID string) (map[string]agent.Feedback, error)
	// Feedback is everybody's, for admins, the newest first.
	Feedback(ctx context.Context, p agent.Page) ([]agent.GivenFeedback, string, error)
	// Branch is the one that a message is on, to the newest message below it, or the one that is chosen for
	// ""; NotFound for what is no message of the conversation.
	Branch(ctx context.Context, v agent.Viewer, id, messageID string) ([]agent.Message, error)
	// SetPinned is for the owner only, and for messages of persons.
	SetPinned(ctx context.Context, v agent.Viewer, conversationID, messageID string, pinned bool) error
	// PinnedMessages are the ids of a conversation's pinned messages. The caller has checked the viewer.
	PinnedMessages(ctx context.Context, conversationID string) ([]string, error)
	// Events returns at most limit events with seq > after. The caller has checked the viewer.
	Events(ctx context.Context, conversationID string, after int64, limit int) ([]agent.Event, error)
	// CitedNow are events with messages that cite documents as they are now. The caller has checked the viewer.
	CitedNow(ctx context.Context, conversationID string, events []agent.Event) ([]agent.Event, error)
	// StepBefore is the event that begins the last step before an event, that event's own number for none.
	StepBefore(ctx context.Context, conversationID string, seq int64) (int64, error)
	// Transcript is a part of the log without the deltas of messages that are final.
	Transcript(ctx context.Context, conversationID string, p agent.LogPart) (agent.Transcript, error)
	// PlaceOf is where a part of the log has a message in its middle, NotFound where
	// there is none. The caller has checked the viewer.
	PlaceOf(ctx context.Context, conversationID, messageID string, runs []string, part int) (before int64, err error)
}

// RunRecords are the stored runs, what they work by, and what happened in them.
type RunRecords interface {
	RunReader
	ProgressReader
	// RecentRuns are the newest runs of a person, the newest first.
	RecentRuns(ctx context.Context, userID string, limit int) ([]agent.Run, error)
	RunEvents(ctx context.Context, runID string) ([]agent.Event, error)
	Steps(ctx context.Context, runID string) ([]agent.Step, error)
	// Exchanges are the raw requests of a run, oldest first.
	Exchanges(ctx context.Context, runID string) ([]agent.Exchange, error)
	// Verdicts lists what the guards said in a run, oldest first.
	Verdicts(ctx context.Context, runID string) ([]agent.VerdictRecord, error)
	// QueuePlace is a run's place among those that wait, 0 where it does not wait. The caller has checked the viewer.
	QueuePlace(ctx context.Context, runID string) (int, error)
}

// ApprovalStore has approvals.
type ApprovalStore interface {
	ApprovalReader
	// Approvals lists what the viewer may see: their own conversations', all for
	// reviewers and admins; pending ones oldest first, others newest first.
	Approvals(ctx context.Context, v agent.Viewer, f agent.ApprovalFilter, p agent.Page) ([]agent.Approval, string, error)
	CountPending(ctx context.Context, v agent.Viewer, besides string) (int, error)
	Neighbours(ctx context.Context, v agent.Viewer, a agent.Approval) (previous, next string, err error)
	// Inbox lists what the viewer may see: what waits by risk, then by
	// deadline; other lists newest first.
	Inbox(ctx context.Context, v agent.Viewer, f agent.ApprovalFilter, p agent.Page) ([]agent.InboxEntry, string, error)
	// InboxEntries are some approvals, oldest first; what the viewer may not see is left out.
	InboxEntries(ctx context.Context, v agent.Viewer, ids []string) ([]agent.InboxEntry, error)
	// Waiting counts the pending approvals that the viewer can decide, and returns the newest.
	Waiting(ctx context.Context, v agent.Viewer, newest int) (agent.Waiting, error)
	// NotePresence notes that the viewer is looking at an approval; opened sticks.
	NotePresence(ctx context.Context, v agent.Viewer, approvalID string, opened bool) error
	// Presences returns who has looked since a time; no ids means at any. The caller
	// has checked the viewer.
	Presences(ctx context.Context, ids []string, since time.Time) ([]agent.Presence, error)
	// RecentCalls are the newest calls of a tool that were started, in a person's runs.
	RecentCalls(ctx context.Context, userID, tool string, limit int) ([]agent.ToolCall, error)
}
