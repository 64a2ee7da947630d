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

// RunStore is what commands on runs need: enough of every aggregate that a journal alone
// can stand in for the store.
type RunStore interface {
	// PathTo is that of the ConversationStore.
	PathTo(ctx context.Context, conversationID, leafID string) (agent.Path, error)
	// Enqueue stores a person's message and the run that answers it in one
	// transaction. The same ClientID again returns the same ids with
	// Existing set. Conflict while a run of the conversation is active.
	Enqueue(ctx context.Context, p agent.NewMessage) (agent.Enqueued, error)
	// Conversation, Run and Approval check the viewer in the query: what they
	// may not see is NotFound.
	Conversation(ctx context.Context, v agent.Viewer, id string) (*agent.Conversation, error)
	Run(ctx context.Context, v agent.Viewer, id string) (*agent.Run, error)
	Approval(ctx context.Context, v agent.Viewer, id string) (*agent.Approval, error)
	// Document is a version of a person's document, the newest for 0.
	Document(ctx context.Context, userID, id string, version int) (agent.Document, error)
	AgentReader
	// EnqueueBehind stores a run that goes on behind a message, or where a failed run stopped, and
	// chooses its branch. Conflict while a run is active, or where the conversation has continued since.
	EnqueueBehind(ctx context.Context, a agent.RunBehind) (agent.Enqueued, error)
	// Version is where a message stands among its versions.
	Version(ctx context.Context, v agent.Viewer, messageID string) (agent.Version, error)
	// AskedBy is the person's message that a run answers; NotFound where it was deleted. The caller has checked the viewer.
	AskedBy(ctx context.Context, runID string) (agent.Message, error)
	// Answer is that of agent.Journal.
	Answer(ctx context.Context, rootRunID, runID, value string) (agent.Answer, error)
	ProgressReader
	// Below counts what would go with a version, and DeleteVersion deletes it: the messages, not what was
	// paid and done. Conflict while a run works on it.
	Below(ctx context.Context, v agent.Version) (agent.Below, error)
	DeleteVersion(ctx context.Context, v agent.Version) (agent.Below, error)
	// CallsBelow are the calls that have begun of the runs at and below a version, oldest first.
	CallsBelow(ctx context.Context, v agent.Version) ([]agent.ToolCall, error)
	// ChangeApproval commits what a person, or time, does to an approval, with
	// everything that is written with it. Conflict with Standing set to the
	// current *Approval if someone else was first.
	ChangeApproval(ctx context.Context, e agent.ApprovalUpdate) (*agent.Approval, error)
	// Due returns pending approvals whose DueAt has come, oldest first.
	Due(ctx context.Context, now time.Time, limit int) ([]agent.Approval, error)
	// TellStandstills tells the parents of open child runs that have had no event since a
	// time, at most limit of them, once for each standstill.
	TellStandstills(ctx context.Context, before time.Time, limit int) error
	// CountDeciders counts the enabled reviewers and admins, without some by e-mail address.
	CountDeciders(ctx context.Context, without []string) (int, error)
	// PolicyRules are those of admins and of approvals that are in force.
	PolicyRules(ctx context.Context) ([]agent.PolicyRule, error)
	UserByID(ctx context.Context, id string) (*agent.User, error)
	// RequestAbort marks a run; a paused or queued one becomes claimable.
	// Idempotent, also for ended runs.
	RequestAbort(ctx context.Context, runID, by string) error
	// EndingBelow are the runs below a run that are marked to end and have not ended.
	EndingBelow(ctx context.Context, runID string) ([]agent.Run, error)
	// HasOpenChildren reports whether a child of the run has not ended.
	HasOpenChildren(ctx context.Context, runID string) (bool, error)
	// ChildOf is the child run that a call has made; NotFound where it made none.
	ChildOf(ctx context.Context, runID, callID string) (string, error)
	// PendingApprovalIDs are the run's approvals that can be decided, oldest first.
	PendingApprovalIDs(ctx context.Context, runID string) ([]string, error)
	// RequestTakeover marks a run to end with a person's answer. Conflict where it has
	// ended, or is to end.
	RequestTakeover(ctx context.Context, runID, by, answer string) error
	// ChangePlan gives a run that waits a person's plan. Conflict where it does not wait.
	ChangePlan(ctx context.Context, runID, by string, steps []agent.PlanStep) error
	// Refilled returns budget approvals that wait, or have expired waiting, whose
	// RefillAt has come, oldest first.
	Refilled(ctx context.Context, now time.Time, limit int) ([]agent.Approval, error)
	// Queue is what waits in a conversation. The caller has checked the viewer.
	Queue(ctx context.Context, conversationID string) (agent.Queue, error)
	// AddQueued puts a message behind those that wait, unless nothing works that it would wait
	// for. Where what works is being stopped, it goes before them, and nothing is held any longer.
	// The same ClientID again answers what it became. Conflict where MaxQueued wait.
	AddQueued(ctx context.Context, m agent.QueuedMessage) (agent.Queued, error)
	// ChangeQueued and RemoveQueued are NotFound where the message does not wait.
	ChangeQueued(ctx context.Context, conversationID, id string, p agent.QueuedPatch) error
	RemoveQueued(ctx context.Context, conversationID, id string) error
	// HoldQueue holds what waits for its turn, and says why; ResumeQueue lets it go on.
	HoldQueue(ctx context.Context, conversationID, why string) error
	ResumeQueue(ctx context.Context, conversationID string) error
	// ReadyQueued are the first messages of the queues that go on, where nothing works: of one
	// conversation, or of all for "".
	ReadyQueued(ctx context.Context, conversationID string, limit int) ([]agent.QueuedMessage, error)
	// AddSteer stores what a person says to a run at work, once for a ClientID. Conflict where it
	// has ended, or is to end.
	AddSteer(ctx context.Context, m agent.QueuedMessage) (agent.QueuedItem, error)
	// SteerQueued has a message that waits steer the run that it waits for.
	SteerQueued(ctx context.Context, conversationID, id string) (agent.QueuedItem, error)
	SettingReader
	GuardConfig(ctx context.Context) (agent.GuardConfig, error)
	// ActiveRun returns the conversation's run that is queued, running or paused; NotFound if none.
	ActiveRun(ctx context.Context, conversationID string) (*agent.Run, error)
}

// UserStore has accounts and their API tokens.
type UserStore interface {
	// CreateUser answers Conflict where the e-mail address is taken.
	CreateUser(ctx context.Context, u agent.User, passwordHash string) error
	// CreateFirstUser is CreateUser, and Conflict where there is any user already.
	CreateFirstUser(ctx context.Context, u agent.User, passwordHash string) error
	UserByID(ctx context.Context, id string) (*agent.User, error)
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
	CreateConversation(ctx context.Context, c agent.Conversation) error
	Conversation(ctx context.Context, v agent.Viewer, id string) (*agent.Conversation, error)
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
	// Path is Branch without what the messages say, PathTo the one that ends with this very message, ""
	// for none, and PathOfRun that of a run. The caller has checked the viewer.
	Path(ctx context.Context, conversationID, messageID string) (agent.Path, error)
	PathOfRun(ctx context.Context, conversationID, runID string) (agent.Path, error)
	PathTo(ctx context.Context, conversationID, leafID string) (agent.Path, error)
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

// RunRecords are the stored runs and what happened in them.
type RunRecords interface {
	// Tree are the runs of a tree, the root first, then oldest first. The caller has checked the viewer.
	Tree(ctx context.Context, rootRunID string) ([]agent.Run, error)
	// Run also answers reviewers, where the run has an approval.
	Run(ctx context.Context, v agent.Viewer, id string) (*agent.Run, error)
	// RecentRuns are the newest runs of a person, the newest first.
	RecentRuns(ctx context.Context, userID string, limit int) ([]agent.Run, error)
	RunEvents(ctx context.Context, runID string) ([]agent.Event, error)
	ToolCalls(ctx context.Context, runID string) ([]agent.ToolCall, error)
	Steps(ctx context.Context, runID string) ([]agent.Step, error)
	// Exchanges are the raw requests of a run, oldest first.
	Exchanges(ctx context.Context, runID string) ([]agent.Exchange, error)
	// Verdicts lists what the guards said in a run, oldest first.
	Verdicts(ctx context.Context, runID string) ([]agent.VerdictRecord, error)
	// QueuePlace is a run's place among those that wait, 0 where it does not wait. The caller has checked the viewer.
	QueuePlace(ctx context.Context, runID string) (int, error)
	// PendingApprovalIDs are the run's open approvals, oldest first.
	PendingApprovalIDs(ctx context.Context, runID string) ([]string, error)
	// AskingRuns are the runs of a tree that have open approvals. The caller has checked the viewer.
	AskingRuns(ctx context.Context, rootRunID string) ([]string, error)
}

// ApprovalStore has approvals.
type ApprovalStore interface {
	Approval(ctx context.Context, v agent.Viewer, id string) (*agent.Approval, error)
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
