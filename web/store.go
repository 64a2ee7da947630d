package web

import (
	"context"
	"time"

	"fusebox/agent"
	"fusebox/agent/service"
)

// Store is what the pages and the API read and write. The store package
// implements it; web never imports that package. Methods that take a Viewer
// answer NotFound for what they may not see.
type Store interface {
	service.RunStore
	UserStore
	service.MemoryStore
	service.LeftoverStore
	service.ConnectionStore
	// LastBackup is nil where nobody has made one.
	LastBackup(ctx context.Context) (*agent.Backup, error)
	ConversationStore
	RunStore
	ApprovalStore
	LedgerStore
	GuardStore
	DeliveryStore
	PolicyStore
	BudgetStore
	AlertStore
	PriceStore

	// Ready checks the database and that its schema is the one of this program.
	Ready(ctx context.Context) error
	// Writable writes something small; Unavailable where that fails or takes too long.
	Writable(ctx context.Context) error
	// Room is Full where the disk with the database is.
	Room() error
	// FilesIntact checks that the database was not taken away from this server.
	FilesIntact() error
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
	// UpdateUser sets role and disabled; Conflict where no enabled admin would be left.
	UpdateUser(ctx context.Context, id string, role agent.Role, disabled bool) error
	// PatchUser changes what the patch names; Conflict as above.
	PatchUser(ctx context.Context, id string, p agent.UserPatch) error
	// Groups are the names of the groups that users belong to or budgets are for.
	Groups(ctx context.Context) ([]string, error)
	EndSessions(ctx context.Context, id string) error
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

	service.RemovalStore
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
	// DeleteConversation removes it with all that hangs on it, the ledger aside;
	// Conflict while a run is active.
	DeleteConversation(ctx context.Context, v agent.Viewer, id string) error
	// Messages is the active branch, oldest first.
	Messages(ctx context.Context, v agent.Viewer, id string) ([]agent.Message, error)
	// SetPinned is for the owner only, and for messages of persons.
	SetPinned(ctx context.Context, v agent.Viewer, conversationID, messageID string, pinned bool) error
	// PinnedMessages are the ids of a conversation's pinned messages. The caller has checked the viewer.
	PinnedMessages(ctx context.Context, conversationID string) ([]string, error)
	// Events returns at most limit events with seq > after. The caller has checked the viewer.
	Events(ctx context.Context, conversationID string, after int64, limit int) ([]agent.Event, error)
	// StepBefore is the event that begins the last step before an event, that event's own number for none.
	StepBefore(ctx context.Context, conversationID string, seq int64) (int64, error)
	// Transcript is a part of the log without the deltas of messages that are final.
	Transcript(ctx context.Context, conversationID string, p agent.LogPart) (agent.Transcript, error)
	// PlaceOf is where a part of the log has a message in its middle, NotFound where
	// there is none. The caller has checked the viewer.
	PlaceOf(ctx context.Context, conversationID, messageID string, part int) (before int64, err error)
}

// RunStore has runs and what happened in them.
type RunStore interface {
	// Run also answers reviewers, where the run has an approval.
	Run(ctx context.Context, v agent.Viewer, id string) (*agent.Run, error)
	// RecentRuns are the newest runs of a person, the newest first.
	RecentRuns(ctx context.Context, userID string, limit int) ([]agent.Run, error)
	RunEvents(ctx context.Context, runID string) ([]agent.Event, error)
	ToolCalls(ctx context.Context, runID string) ([]agent.ToolCall, error)
	Steps(ctx context.Context, runID string) ([]agent.Step, error)
	// Exchanges are the raw requests of a run, oldest first.
	Exchanges(ctx context.Context, runID string) ([]agent.Exchange, error)
	// QueuePlace is a run's place among those that wait, 0 where it does not wait. The caller has checked the viewer.
	QueuePlace(ctx context.Context, runID string) (int, error)
	// PendingApprovalIDs are the run's open approvals, oldest first.
	PendingApprovalIDs(ctx context.Context, runID string) ([]string, error)
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
	// Look notes that the viewer is looking at an approval; opened sticks.
	NotePresence(ctx context.Context, v agent.Viewer, approvalID string, opened bool) error
	// Looks returns who has looked since a time; no ids means at any. The caller
	// has checked the viewer.
	Presences(ctx context.Context, ids []string, since time.Time) ([]agent.Presence, error)
	// RecentCalls are the newest calls of a tool that were started, in a person's runs.
	RecentCalls(ctx context.Context, userID, tool string, limit int) ([]agent.ToolCall, error)
}

// LedgerStore has the bill and the audit log.
type LedgerStore interface {
	Spend(ctx context.Context, q agent.SpendQuery) ([]agent.SpendRow, error)
	// NamedCosts are what endpoints have said of calls between two instants, by model.
	NamedCosts(ctx context.Context, from, to time.Time) ([]agent.NamedCost, error)
	// SpendTotal sums the whole range.
	SpendTotal(ctx context.Context, q agent.SpendQuery) (agent.SpendRow, error)
	// SpendByDayAndModel returns one row per day (or week, or month: the query's
	// Span) and model; Key is the span's first day, Label the model.
	SpendByDayAndModel(ctx context.Context, q agent.SpendQuery) ([]agent.SpendRow, error)
	// Setting is what an admin has set for the whole instance, "" for nothing;
	// SetSetting changes it, audited under the actor's e-mail address.
	Setting(ctx context.Context, key string) (string, error)
	SetSetting(ctx context.Context, actor, key, value string) error
	// Ledger lists the double entry of one run, or all of it for "", oldest first.
	Ledger(ctx context.Context, runID string, p agent.Page) ([]agent.LedgerEntry, string, error)
	Audit(ctx context.Context, row agent.AuditRow) error
	// AuditRows lists what a filter leaves, newest first.
	AuditRows(ctx context.Context, f agent.AuditFilter, p agent.Page) ([]agent.AuditRow, string, error)
	// AuditHead is the newest row, zero where there is none.
	AuditHead(ctx context.Context) (agent.AuditRow, error)
	// CheckAudit walks the newest rows and returns the last one that was right;
	// what is wrong is an *agent.AuditFault.
	CheckAudit(ctx context.Context, newest int64) (agent.AuditRow, error)
	// ReviewerDecisions are what people decided in a span of time, ReviewerUndone
	// counts by person what was taken back in it.
	ReviewerDecisions(ctx context.Context, from, to time.Time) ([]agent.ReviewerDecision, error)
	ReviewerUndone(ctx context.Context, from, to time.Time) (map[string]int, error)
}

// DeliveryStore has the notifications that are sent to people.
type DeliveryStore interface {
	// Deliveries lists newest first.
	Deliveries(ctx context.Context, f agent.DeliveryFilter, p agent.Page) ([]agent.Delivery, string, error)
	// Resend makes a new delivery of one that is at its end, audited; Conflict while it is on its way.
	Resend(ctx context.Context, actor, id string) (fresh string, err error)
	// PostTest sends a test by a channel, audited; Conflict where it is not configured.
	PostTest(ctx context.Context, actor string, c agent.Channel) (fresh string, err error)
}

// AlertStore has the alerts about money.
type AlertStore interface {
	// RaiseAlert tells people what they have not been told yet.
	RaiseAlert(ctx context.Context, a agent.Alert) error
	// Alerts lists the viewer's own, for admins also the instance's, newest first.
	Alerts(ctx context.Context, v agent.Viewer, p agent.Page) ([]agent.Alert, string, error)
	UnseenAlerts(ctx context.Context, v agent.Viewer) (int, error)
	// SeeAlerts notes that the viewer has seen all up to a time.
	SeeAlerts(ctx context.Context, v agent.Viewer, until time.Time) error
}

// GuardStore has how the breakers are set, what they said, and past runs to
// try other settings on. Changes are audited under the actor's e-mail address.
type GuardStore interface {
	GuardConfig(ctx context.Context) (agent.GuardConfig, error)
	// SetGuardNumber sets a number for all runs; an empty override goes back to the configuration.
	SetGuardNumber(ctx context.Context, actor, key string, o agent.GuardOverride) error
	SetGuardSwitch(ctx context.Context, actor, detector string, on bool) error
	// GuardStats sums what each detector said from an instant up to another one; detectors that said nothing are left out.
	GuardStats(ctx context.Context, from, to time.Time) ([]agent.GuardStat, error)
	// LoopDecisions reads the newest decisions on loop approvals of runs that began in a span.
	LoopDecisions(ctx context.Context, from, to time.Time, limit int) ([]agent.LoopDecision, error)
	// GuardRules lists active and proposed rules for tools, newest first.
	GuardRules(ctx context.Context) ([]agent.GuardRule, error)
	GuardRule(ctx context.Context, id string) (*agent.GuardRule, error)
	// ProposeRule marks a decided loop card as no loop and stores the proposal; Conflict where that was done.
	ProposeRule(ctx context.Context, g agent.GuardRule) error
	// SaveRule puts a rule in force in place of the tool's active one and of the proposal of the same id.
	SaveRule(ctx context.Context, g agent.GuardRule) error
	DismissRule(ctx context.Context, actor, id string) error
	// Verdicts lists what the guards said in a run, oldest first.
	Verdicts(ctx context.Context, runID string) ([]agent.VerdictRecord, error)
	// PastRuns hands over the runs of a span, oldest first, up to about maxCalls calls.
	PastRuns(ctx context.Context, from, to time.Time, maxCalls int, each func(agent.PastRun)) (more bool, err error)
}

// PolicyStore has the rules of admins and of approvals. Changes are audited
// under the viewer.
type PolicyStore interface {
	// PolicyRules are those in force now, oldest first.
	PolicyRules(ctx context.Context) ([]agent.PolicyRule, error)
	// AllPolicyRules lists those of a state, or all for "", newest first.
	AllPolicyRules(ctx context.Context, state agent.PolicyState, p agent.Page) ([]agent.PolicyRule, string, error)
	PolicyRule(ctx context.Context, id string) (*agent.PolicyRule, error)
	// AddPolicyRule answers Conflict where there are as many as there may be.
	AddPolicyRule(ctx context.Context, v agent.Viewer, r agent.PolicyRule) error
	// ChangePolicyRule revokes the old rule and adds the new one; Conflict where it was revoked before.
	ChangePolicyRule(ctx context.Context, v agent.Viewer, oldID string, r agent.PolicyRule) error
	// RevokePolicyRule answers Conflict where that was done before.
	RevokePolicyRule(ctx context.Context, v agent.Viewer, id string) error
}

// BudgetStore has the budgets of admins. Changes are audited under the viewer.
type BudgetStore interface {
	// Budgets are the active ones, oldest first.
	Budgets(ctx context.Context) ([]agent.Budget, error)
	// Budget answers NotFound for one that has ended.
	Budget(ctx context.Context, id string) (*agent.Budget, error)
	// BudgetStandings is the state of each in its current window, the fullest subject first.
	BudgetStatuses(ctx context.Context) ([]agent.BudgetStatus, error)
	// BudgetStandingsOf is how those stand that bound one user, for that user.
	BudgetStatusesOf(ctx context.Context, userID string) ([]agent.BudgetStatus, error)
	// AddBudget answers Conflict where one applies to the same people and window, or too many do.
	AddBudget(ctx context.Context, v agent.Viewer, b agent.Budget) error
	// ChangeBudget sets limits and what happens there; whom it bounds, and in which window, stays.
	// Conflict where it is not as it was any more.
	ChangeBudget(ctx context.Context, v agent.Viewer, was, b agent.Budget) error
	EndBudget(ctx context.Context, v agent.Viewer, id string) error
}

// PriceStore has what admins say that models cost. Changes are audited.
type PriceStore interface {
	// Prices are sorted by endpoint, model and day.
	Prices(ctx context.Context) ([]agent.PriceRow, error)
	// SavePrice takes the place of what was said for that day; a row with Known
	// false takes the price back. Conflict where there are too many rows.
	SavePrice(ctx context.Context, r agent.PriceRow) error
	// ImportPrices saves all rows or none.
	ImportPrices(ctx context.Context, actor, source string, rows []agent.PriceRow, counts agent.PriceCounts) error
}
