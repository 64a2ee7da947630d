package web

import (
	"context"
	"fusebox/agent"
	"fusebox/agent/service"
	"log/slog"
	"time"
)

// bills sum the ledger for pages.
type bills struct {
	Store billsStore
	Clock agent.Clock
}

// billsStore is the part of the store that bills needs.
type billsStore interface {
	// BudgetStandings is how each stands in its current window, the fullest subject first.
	BudgetStandings(ctx context.Context) ([]agent.Standing, error)
	// GuardStats sums what each detector said from an instant up to another one; detectors that said nothing are left out.
	GuardStats(ctx context.Context, from, to time.Time) ([]agent.GuardStat, error)
	Spend(ctx context.Context, q agent.SpendQuery) ([]agent.SpendRow, error)
	// SpendByDayAndModel returns one row per day (or week, or month: the query's
	// Span) and model; Key is the span's first day, Label the model.
	SpendByDayAndModel(ctx context.Context, q agent.SpendQuery) ([]agent.SpendRow, error)
	// SpendTotal sums the whole range.
	SpendTotal(ctx context.Context, q agent.SpendQuery) (agent.SpendRow, error)
}

// pageAccount signs people in and out, and makes the first account.
type pageAccount struct {
	*site
	Store     pageAccountStore
	Clock     agent.Clock
	NewID     agent.NewID
	Service   *service.Service
	Sessions  *sessions
	SetupCode string
	Throttle  *throttling
}

// pageAccountStore is the part of the store that pageAccount needs.
type pageAccountStore interface {
	Audit(ctx context.Context, row agent.AuditRow) error
	CountUsers(ctx context.Context) (int, error)
}

// pageAlerts_ shows the pages about alerts and takes their forms.
type pageAlerts_ struct {
	*site
	Store pageAlertsStore
	Bell  *bell
}

// pageAlertsStore is the part of the store that pageAlerts_ needs.
type pageAlertsStore interface {
	// SeeAlerts notes that the viewer has seen all up to a time.
	SeeAlerts(ctx context.Context, v agent.Viewer, until time.Time) error
}

// pageApproval_ shows the pages about approval and takes their forms.
type pageApproval_ struct {
	*site
	Store      pageApprovalStore
	Cards      *cards
	Desk       *service.Desk
	Presence   *presence
	Records    *runRecords
	Service    *service.Service
	Sessions   *sessions
	Visibility *visibility
}

// pageApprovalStore is the part of the store that pageApproval_ needs.
type pageApprovalStore interface {
	Approval(ctx context.Context, v agent.Viewer, id string) (*agent.Approval, error)
	// Approvals lists what the viewer may see: his own conversations', all for
	// reviewers and admins; pending ones oldest first, others newest first.
	Approvals(ctx context.Context, v agent.Viewer, f agent.ApprovalFilter, p agent.Page) ([]agent.Approval, string, error)
	CountPending(ctx context.Context, v agent.Viewer) (int, error)
	// Look notes that the viewer has an approval before his eyes; opened sticks.
	Look(ctx context.Context, v agent.Viewer, approvalID string, opened bool) error
}

// pageAudit_ shows the pages about audit and takes their forms.
type pageAudit_ struct {
	*site
	Store pageAuditStore
	Clock agent.Clock
}

// pageAuditStore is the part of the store that pageAudit_ needs.
type pageAuditStore interface {
	// AuditHead is the newest row, zero where there is none.
	AuditHead(ctx context.Context) (agent.AuditRow, error)
	// AuditRows lists what a filter leaves, newest first.
	AuditRows(ctx context.Context, f agent.AuditFilter, p agent.Page) ([]agent.AuditRow, string, error)
	// CheckAudit walks the newest rows and returns the last one that was right;
	// what is wrong is an *agent.AuditFault.
	CheckAudit(ctx context.Context, newest int64) (agent.AuditRow, error)
	// MirrorDecisions are what people decided in a span of time, MirrorUndone
	// counts by person what was taken back in it.
	MirrorDecisions(ctx context.Context, from, to time.Time) ([]agent.MirrorDecision, error)
	MirrorUndone(ctx context.Context, from, to time.Time) (map[string]int, error)
}

// pageBudgets_ shows the pages about budgets and takes their forms.
type pageBudgets_ struct {
	*site
	Store      pageBudgetsStore
	Clock      agent.Clock
	Desk       *service.Desk
	Prices     Prices
	RunTokens  int64
	Service    *service.Service
	Sessions   *sessions
	Visibility *visibility
	Zone       *time.Location
}

// pageBudgetsStore is the part of the store that pageBudgets_ needs.
type pageBudgetsStore interface {
	// Budget answers NotFound for one that has ended.
	Budget(ctx context.Context, id string) (*agent.Budget, error)
	// BudgetStandings is how each stands in its current window, the fullest subject first.
	BudgetStandings(ctx context.Context) ([]agent.Standing, error)
	EndBudget(ctx context.Context, v agent.Viewer, id string) error
	// Groups are the names of the groups that users belong to or budgets are for.
	Groups(ctx context.Context) ([]string, error)
	Users(ctx context.Context, p agent.Page) ([]agent.User, string, error)
}

// pageChat shows the pages about chat and takes their forms.
type pageChat struct {
	*site
	Store        pageChatStore
	DefaultModel string
	Desk         *service.Desk
	Guards       agent.GuardSettings
	NewID        agent.NewID
	Presenters   *presenters
	Service      *service.Service
	Sessions     *sessions
}

// pageChatStore is the part of the store that pageChat needs.
type pageChatStore interface {
	Conversation(ctx context.Context, v agent.Viewer, id string) (*agent.Conversation, error)
	GuardConfig(ctx context.Context) (agent.GuardConfig, error)
	// PinnedMessages are the ids of a conversation's pinned messages. The caller has checked the viewer.
	PinnedMessages(ctx context.Context, conversationID string) ([]string, error)
	// SetPinned is for the owner only, and for messages of persons.
	SetPinned(ctx context.Context, v agent.Viewer, conversationID, messageID string, pinned bool) error
	// Transcript is the whole log without the deltas of messages that are final.
	Transcript(ctx context.Context, conversationID string) ([]agent.Event, error)
	UserByID(ctx context.Context, id string) (*agent.User, error)
}

// pageGuards_ shows the pages about guards and takes their forms.
type pageGuards_ struct {
	*site
	Store     pageGuardsStore
	Clock     agent.Clock
	Detectors []agent.Detector
	Guards    agent.GuardSettings
	Service   *service.Service
	Sessions  *sessions
	Tools     agent.Toolbox
}

// pageGuardsStore is the part of the store that pageGuards_ needs.
type pageGuardsStore interface {
	GuardConfig(ctx context.Context) (agent.GuardConfig, error)
	// GuardRules lists active and proposed rules for tools, newest first.
	GuardRules(ctx context.Context) ([]agent.GuardRule, error)
	// SetGuardNumber sets a number for all runs; an empty override goes back to the configuration.
	SetGuardNumber(ctx context.Context, actor, key string, o agent.GuardOverride) error
}

// pageInbox shows the pages about inbox and takes their forms.
type pageInbox struct {
	*site
	Store    pageInboxStore
	Cards    *cards
	Clock    agent.Clock
	Desk     *service.Desk
	Presence *presence
	Sessions *sessions
	Tools    agent.Toolbox
}

// pageInboxStore is the part of the store that pageInbox needs.
type pageInboxStore interface {
	// Inbox lists what the viewer may see: what waits unread first, then the
	// oldest first; other lists newest first.
	Inbox(ctx context.Context, v agent.Viewer, f agent.ApprovalFilter, p agent.Page) ([]agent.InboxEntry, string, error)
	// InboxEntries are some approvals, oldest first; what the viewer may not see is left out.
	InboxEntries(ctx context.Context, v agent.Viewer, ids []string) ([]agent.InboxEntry, error)
}

// pageModels_ shows the pages about models and takes their forms.
type pageModels_ struct {
	*site
	Clock        agent.Clock
	DefaultModel string
	Models       Models
	Prices       Prices
	Service      *service.Service
}

// pageNotifications_ shows the pages about notifications and takes their forms.
type pageNotifications_ struct {
	*site
	Store    pageNotificationsStore
	Notify   NotifyInfo
	Sessions *sessions
}

// pageNotificationsStore is the part of the store that pageNotifications_ needs.
type pageNotificationsStore interface {
	// Deliveries lists newest first.
	Deliveries(ctx context.Context, f agent.DeliveryFilter, p agent.Page) ([]agent.Delivery, string, error)
	// PostTest has a test told by a channel, audited; Conflict where it is not configured.
	PostTest(ctx context.Context, actor string, c agent.Channel) (fresh string, err error)
	// Resend makes a new delivery of one that is at its end, audited; Conflict while it is on its way.
	Resend(ctx context.Context, actor, id string) (fresh string, err error)
}

// pagePrices shows the pages about prices and takes their forms.
type pagePrices struct {
	*site
	Store    pagePricesStore
	Clock    agent.Clock
	NewID    agent.NewID
	Prices   Prices
	Service  *service.Service
	Sessions *sessions
	lists    heldLists
}

// pagePricesStore is the part of the store that pagePrices needs.
type pagePricesStore interface {
	// Prices are sorted by endpoint, model and day.
	Prices(ctx context.Context) ([]agent.PriceRow, error)
}

// pageRuns shows the pages about runs and takes their forms.
type pageRuns struct {
	*site
	Store   pageRunsStore
	Clock   agent.Clock
	Desk    *service.Desk
	RawLog  bool
	Records *runRecords
	Zone    *time.Location
}

// pageRunsStore is the part of the store that pageRuns needs.
type pageRunsStore interface {
	// Exchanges are the raw requests of a run, oldest first.
	Exchanges(ctx context.Context, runID string) ([]agent.Exchange, error)
	// Run also answers reviewers, where the run has an approval.
	Run(ctx context.Context, v agent.Viewer, id string) (*agent.Run, error)
	// Verdicts lists what the guards said in a run, oldest first.
	Verdicts(ctx context.Context, runID string) ([]agent.VerdictRecord, error)
}

// pageSettings_ shows the pages about settings and takes their forms.
type pageSettings_ struct {
	*site
	Store      pageSettingsStore
	Bills      *bills
	Clock      agent.Clock
	NewID      agent.NewID
	Notify     NotifyInfo
	Secure     bool
	Sessions   *sessions
	Streams    *streams
	Throttle   *throttling
	Visibility *visibility
	Zone       *time.Location
}

// pageSettingsStore is the part of the store that pageSettings_ needs.
type pageSettingsStore interface {
	// BudgetStandingsOf is how those stand that bound one user, for that user.
	BudgetStandingsOf(ctx context.Context, userID string) ([]agent.Standing, error)
	CreateToken(ctx context.Context, t agent.Token, hash []byte) error
	DeleteToken(ctx context.Context, userID, id string) error
	// SetNotify sets whether a person gets e-mails about approvals and budgets.
	SetNotify(ctx context.Context, userID string, on bool) error
	// SetOutputMode sets in which portions answers are shown to a person; "" as configured.
	SetOutputMode(ctx context.Context, userID string, m agent.OutputMode) error
	SetPassword(ctx context.Context, id, passwordHash string) error
	Tokens(ctx context.Context, userID string) ([]agent.Token, error)
	// UserByEmail also returns the password hash.
	UserByEmail(ctx context.Context, email string) (*agent.User, string, error)
	UserByID(ctx context.Context, id string) (*agent.User, error)
}

// pageSpend_ shows the pages about spend and takes their forms.
type pageSpend_ struct {
	*site
	Store      pageSpendStore
	Bills      *bills
	Clock      agent.Clock
	Sessions   *sessions
	Streams    *streams
	Visibility *visibility
}

// pageSpendStore is the part of the store that pageSpend_ needs.
type pageSpendStore interface {
	SetSetting(ctx context.Context, actor, key, value string) error
	// Setting is what an admin has set for the whole house, "" for nothing;
	// SetSetting changes it, audited under the actor's e-mail address.
	Setting(ctx context.Context, key string) (string, error)
	Spend(ctx context.Context, q agent.SpendQuery) ([]agent.SpendRow, error)
}

// pageTools_ shows the pages about tools and takes their forms.
type pageTools_ struct {
	*site
	Store       pageToolsStore
	Clock       agent.Clock
	PolicyRules []agent.PolicyRule
	Service     *service.Service
	Sessions    *sessions
	Tools       agent.Toolbox
	Usual       func(agent.ToolSpec, agent.ApprovalMode) agent.Ruling
}

// pageToolsStore is the part of the store that pageTools_ needs.
type pageToolsStore interface {
	// AllPolicyRules lists those of a state, or all for "", newest first.
	AllPolicyRules(ctx context.Context, state agent.PolicyState, p agent.Page) ([]agent.PolicyRule, string, error)
	PolicyRule(ctx context.Context, id string) (*agent.PolicyRule, error)
	// PolicyRules are those in force now, oldest first.
	PolicyRules(ctx context.Context) ([]agent.PolicyRule, error)
}

// pageUsers_ shows the pages about users and takes their forms.
type pageUsers_ struct {
	*site
	Store    pageUsersStore
	Service  *service.Service
	Sessions *sessions
}

// pageUsersStore is the part of the store that pageUsers_ needs.
type pageUsersStore interface {
	// Groups are the names of the groups that users belong to or budgets are for.
	Groups(ctx context.Context) ([]string, error)
	Users(ctx context.Context, p agent.Page) ([]agent.User, string, error)
}

// runRecords read all that is known of a run.
type runRecords struct {
	Store      runRecordsStore
	Visibility *visibility
}

// runRecordsStore is the part of the store that runRecords needs.
type runRecordsStore interface {
	Conversation(ctx context.Context, v agent.Viewer, id string) (*agent.Conversation, error)
	// PendingApprovalIDs are the run's open approvals, oldest first.
	PendingApprovalIDs(ctx context.Context, runID string) ([]string, error)
	// Run also answers reviewers, where the run has an approval.
	Run(ctx context.Context, v agent.Viewer, id string) (*agent.Run, error)
	RunEvents(ctx context.Context, runID string) ([]agent.Event, error)
	Steps(ctx context.Context, runID string) ([]agent.Step, error)
	ToolCalls(ctx context.Context, runID string) ([]agent.ToolCall, error)
	UserByID(ctx context.Context, id string) (*agent.User, error)
}

// site is what every page has: the frame around it, and how it is written.
type site struct {
	Store    siteStore
	Bell     *bell
	Clock    agent.Clock
	Logger   *slog.Logger
	Sessions *sessions
}

// siteStore is the part of the store that site needs.
type siteStore interface {
	// Conversations lists the owner's own, newest change first; search matches titles.
	Conversations(ctx context.Context, ownerID, search string, p agent.Page) ([]agent.Conversation, string, error)
}

// throttling slows down who guesses passwords.
type throttling struct {
	Store  throttlingStore
	Clock  agent.Clock
	Logger *slog.Logger
	NewID  agent.NewID
	logins *throttle
	noted  *noteBound
}

// throttlingStore is the part of the store that throttling needs.
type throttlingStore interface {
	Audit(ctx context.Context, row agent.AuditRow) error
	// UserByEmail also returns the password hash.
	UserByEmail(ctx context.Context, email string) (*agent.User, string, error)
}
