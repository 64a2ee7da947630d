package page

import (
	"context"
	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/live"
	"fusebox/web/request"
	"fusebox/web/session"
	"log/slog"
	"time"
)

// Bills sum the ledger for pages.
type Bills struct {
	Store billsStore
	Clock agent.Clock
}

// billsStore is the part of the store that bills needs.
type billsStore interface {
	// BudgetStandings is how each stands in its current window, the fullest subject first.
	BudgetStatuses(ctx context.Context) ([]agent.BudgetStatus, error)
	// GuardStats sums what each detector said from an instant up to another one; detectors that said nothing are left out.
	GuardStats(ctx context.Context, from, to time.Time) ([]agent.GuardStat, error)
	Spend(ctx context.Context, q agent.SpendQuery) ([]agent.SpendRow, error)
	// SpendByDayAndModel returns one row per day (or week, or month: the query's
	// Span) and model; Key is the span's first day, Label the model.
	SpendByDayAndModel(ctx context.Context, q agent.SpendQuery) ([]agent.SpendRow, error)
	// SpendTotal sums the whole range.
	SpendTotal(ctx context.Context, q agent.SpendQuery) (agent.SpendRow, error)
}

// Account signs people in and out, and makes the first account.
type Account struct {
	*Site
	Store     accountStore
	Clock     agent.Clock
	NewID     agent.NewID
	Service   *service.Service
	Sessions  *session.Sessions
	SetupCode string
	Throttle  *Throttling
}

// accountStore is the part of the store that Account needs.
type accountStore interface {
	Audit(ctx context.Context, row agent.AuditRow) error
	CountUsers(ctx context.Context) (int, error)
}

// Alerts shows the pages about alerts and takes their forms.
type Alerts struct {
	*Site
	Store alertsStore
	Bell  *live.Bell
}

// alertsStore is the part of the store that Alerts needs.
type alertsStore interface {
	// SeeAlerts notes that the viewer has seen all up to a time.
	SeeAlerts(ctx context.Context, v agent.Viewer, until time.Time) error
}

// Approval shows the pages about approval and takes their forms.
type Approval struct {
	*Site
	Store      approvalStore
	Cards      *live.Cards
	Desk       *service.Runs
	Presence   *live.Presence
	Records    *RunRecords
	Service    *service.Service
	Sessions   *session.Sessions
	Visibility *request.Visibility
}

// approvalStore is the part of the store that Approval needs.
type approvalStore interface {
	Approval(ctx context.Context, v agent.Viewer, id string) (*agent.Approval, error)
	// Approvals lists what the viewer may see: his own conversations', all for
	// reviewers and admins; pending ones oldest first, others newest first.
	Approvals(ctx context.Context, v agent.Viewer, f agent.ApprovalFilter, p agent.Page) ([]agent.Approval, string, error)
	CountPending(ctx context.Context, v agent.Viewer) (int, error)
	// Look notes that the viewer has an approval before his eyes; opened sticks.
	NotePresence(ctx context.Context, v agent.Viewer, approvalID string, opened bool) error
}

// Audit shows the pages about audit and takes their forms.
type Audit struct {
	*Site
	Store auditStore
	Clock agent.Clock
}

// auditStore is the part of the store that Audit needs.
type auditStore interface {
	// AuditHead is the newest row, zero where there is none.
	AuditHead(ctx context.Context) (agent.AuditRow, error)
	// AuditRows lists what a filter leaves, newest first.
	AuditRows(ctx context.Context, f agent.AuditFilter, p agent.Page) ([]agent.AuditRow, string, error)
	// CheckAudit walks the newest rows and returns the last one that was right;
	// what is wrong is an *agent.AuditFault.
	CheckAudit(ctx context.Context, newest int64) (agent.AuditRow, error)
	// MirrorDecisions are what people decided in a span of time, MirrorUndone
	// counts by person what was taken back in it.
	ReviewerDecisions(ctx context.Context, from, to time.Time) ([]agent.ReviewerDecision, error)
	ReviewerUndone(ctx context.Context, from, to time.Time) (map[string]int, error)
}

// Budgets shows the pages about budgets and takes their forms.
type Budgets struct {
	*Site
	Store      budgetsStore
	Clock      agent.Clock
	Desk       *service.Runs
	Prices     service.PriceBook
	RunTokens  int64
	Service    *service.Service
	Sessions   *session.Sessions
	Visibility *request.Visibility
	Zone       *time.Location
}

// budgetsStore is the part of the store that Budgets needs.
type budgetsStore interface {
	// Budget answers NotFound for one that has ended.
	Budget(ctx context.Context, id string) (*agent.Budget, error)
	// BudgetStandings is how each stands in its current window, the fullest subject first.
	BudgetStatuses(ctx context.Context) ([]agent.BudgetStatus, error)
	EndBudget(ctx context.Context, v agent.Viewer, id string) error
	// Groups are the names of the groups that users belong to or budgets are for.
	Groups(ctx context.Context) ([]string, error)
	Users(ctx context.Context, p agent.Page) ([]agent.User, string, error)
}

// Chat shows the pages about chat and takes their forms.
type Chat struct {
	*Site
	Store        chatStore
	DefaultModel string
	Desk         *service.Runs
	Guards       agent.GuardSettings
	NewID        agent.NewID
	Presenters   *live.Presenters
	Service      *service.Service
	Sessions     *session.Sessions
}

// chatStore is the part of the store that Chat needs.
type chatStore interface {
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

// Guards shows the pages about guards and takes their forms.
type Guards struct {
	*Site
	Store     guardsStore
	Clock     agent.Clock
	Detectors []agent.Detector
	Guards    agent.GuardSettings
	Service   *service.Service
	Sessions  *session.Sessions
	Tools     agent.Toolbox
}

// guardsStore is the part of the store that Guards needs.
type guardsStore interface {
	GuardConfig(ctx context.Context) (agent.GuardConfig, error)
	// GuardRules lists active and proposed rules for tools, newest first.
	GuardRules(ctx context.Context) ([]agent.GuardRule, error)
	// SetGuardNumber sets a number for all runs; an empty override goes back to the configuration.
	SetGuardNumber(ctx context.Context, actor, key string, o agent.GuardOverride) error
}

// Inbox shows the pages about inbox and takes their forms.
type Inbox struct {
	*Site
	Store    inboxStore
	Cards    *live.Cards
	Clock    agent.Clock
	Desk     *service.Runs
	Presence *live.Presence
	Sessions *session.Sessions
	Tools    agent.Toolbox
}

// inboxStore is the part of the store that Inbox needs.
type inboxStore interface {
	// Inbox lists what the viewer may see: what waits unread first, then the
	// oldest first; other lists newest first.
	Inbox(ctx context.Context, v agent.Viewer, f agent.ApprovalFilter, p agent.Page) ([]agent.InboxEntry, string, error)
	// InboxEntries are some approvals, oldest first; what the viewer may not see is left out.
	InboxEntries(ctx context.Context, v agent.Viewer, ids []string) ([]agent.InboxEntry, error)
}

// Models shows the pages about models and takes their forms.
type Models struct {
	*Site
	Clock        agent.Clock
	DefaultModel string
	Models       service.Endpoints
	Prices       service.PriceBook
	Service      *service.Service
}

// Notifications shows the pages about notifications and takes their forms.
type Notifications struct {
	*Site
	Store    notificationsStore
	Notify   NotifyInfo
	Sessions *session.Sessions
}

// notificationsStore is the part of the store that Notifications needs.
type notificationsStore interface {
	// Deliveries lists newest first.
	Deliveries(ctx context.Context, f agent.DeliveryFilter, p agent.Page) ([]agent.Delivery, string, error)
	// PostTest has a test told by a channel, audited; Conflict where it is not configured.
	PostTest(ctx context.Context, actor string, c agent.Channel) (fresh string, err error)
	// Resend makes a new delivery of one that is at its end, audited; Conflict while it is on its way.
	Resend(ctx context.Context, actor, id string) (fresh string, err error)
}

// Prices shows the pages about prices and takes their forms.
type Prices struct {
	*Site
	Store    pricesStore
	Clock    agent.Clock
	NewID    agent.NewID
	Prices   service.PriceBook
	Service  *service.Service
	Sessions *session.Sessions
	lists    heldLists
}

// pricesStore is the part of the store that Prices needs.
type pricesStore interface {
	// Prices are sorted by endpoint, model and day.
	Prices(ctx context.Context) ([]agent.PriceRow, error)
}

// Runs shows the pages about runs and takes their forms.
type Runs struct {
	*Site
	Store   runsStore
	Clock   agent.Clock
	Desk    *service.Runs
	RawLog  bool
	Records *RunRecords
	Zone    *time.Location
}

// runsStore is the part of the store that Runs needs.
type runsStore interface {
	// Exchanges are the raw requests of a run, oldest first.
	Exchanges(ctx context.Context, runID string) ([]agent.Exchange, error)
	// Run also answers reviewers, where the run has an approval.
	Run(ctx context.Context, v agent.Viewer, id string) (*agent.Run, error)
	// Verdicts lists what the guards said in a run, oldest first.
	Verdicts(ctx context.Context, runID string) ([]agent.VerdictRecord, error)
}

// Settings shows the pages about settings and takes their forms.
type Settings struct {
	*Site
	Store      settingsStore
	Bills      *Bills
	Clock      agent.Clock
	NewID      agent.NewID
	Notify     NotifyInfo
	Secure     bool
	Sessions   *session.Sessions
	Streams    *live.Streams
	Throttle   *Throttling
	Visibility *request.Visibility
	Zone       *time.Location
}

// settingsStore is the part of the store that Settings needs.
type settingsStore interface {
	// BudgetStandingsOf is how those stand that bound one user, for that user.
	BudgetStatusesOf(ctx context.Context, userID string) ([]agent.BudgetStatus, error)
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

// Spend shows the pages about spend and takes their forms.
type Spend struct {
	*Site
	Store      spendStore
	Bills      *Bills
	Clock      agent.Clock
	Sessions   *session.Sessions
	Streams    *live.Streams
	Visibility *request.Visibility
}

// spendStore is the part of the store that Spend needs.
type spendStore interface {
	SetSetting(ctx context.Context, actor, key, value string) error
	// Setting is what an admin has set for the whole house, "" for nothing;
	// SetSetting changes it, audited under the actor's e-mail address.
	Setting(ctx context.Context, key string) (string, error)
	Spend(ctx context.Context, q agent.SpendQuery) ([]agent.SpendRow, error)
}

// Tools shows the pages about tools and takes their forms.
type Tools struct {
	*Site
	Store       toolsStore
	Clock       agent.Clock
	PolicyRules []agent.PolicyRule
	Service     *service.Service
	Sessions    *session.Sessions
	Tools       agent.Toolbox
	Usual       func(agent.ToolSpec, agent.ApprovalMode) agent.PolicyVerdict
}

// toolsStore is the part of the store that Tools needs.
type toolsStore interface {
	// AllPolicyRules lists those of a state, or all for "", newest first.
	AllPolicyRules(ctx context.Context, state agent.PolicyState, p agent.Page) ([]agent.PolicyRule, string, error)
	PolicyRule(ctx context.Context, id string) (*agent.PolicyRule, error)
	// PolicyRules are those in force now, oldest first.
	PolicyRules(ctx context.Context) ([]agent.PolicyRule, error)
}

// Users shows the pages about users and takes their forms.
type Users struct {
	*Site
	Store    usersStore
	Service  *service.Service
	Sessions *session.Sessions
}

// usersStore is the part of the store that Users needs.
type usersStore interface {
	// Groups are the names of the groups that users belong to or budgets are for.
	Groups(ctx context.Context) ([]string, error)
	Users(ctx context.Context, p agent.Page) ([]agent.User, string, error)
}

// RunRecords read all that is known of a run.
type RunRecords struct {
	Store      runRecordsStore
	Visibility *request.Visibility
}

// runRecordsStore is the part of the store that RunRecords needs.
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

// Site is what every page has: the frame around it, and how it is written.
type Site struct {
	Store    siteStore
	Bell     *live.Bell
	Clock    agent.Clock
	Logger   *slog.Logger
	Sessions *session.Sessions
}

// siteStore is the part of the store that site needs.
type siteStore interface {
	// Conversations lists the owner's own, newest change first; search matches titles.
	Conversations(ctx context.Context, ownerID, search string, p agent.Page) ([]agent.Conversation, string, error)
}

// Throttling slows down who guesses passwords.
type Throttling struct {
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
