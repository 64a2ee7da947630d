package api

import (
	"context"
	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/live"
	"fusebox/web/request"
	"log/slog"
)

// Alerts answers the calls about alerts.
type Alerts struct {
	Bell *live.Bell
}

// Approvals answers the calls about approvals.
type Approvals struct {
	Store      approvalsStore
	Clock      agent.Clock
	Desk       *service.Runs
	Service    *service.Service
	Visibility *request.Visibility
}

// approvalsStore is the part of the store that Approvals needs.
type approvalsStore interface {
	Approval(ctx context.Context, v agent.Viewer, id string) (*agent.Approval, error)
	// Approvals lists what the viewer may see: his own conversations', all for
	// reviewers and admins; pending ones oldest first, others newest first.
	Approvals(ctx context.Context, v agent.Viewer, f agent.ApprovalFilter, p agent.Page) ([]agent.Approval, string, error)
}

// Audit answers the calls about audit.
type Audit struct {
	Store auditStore
}

// auditStore is the part of the store that Audit needs.
type auditStore interface {
	// AuditRows lists what a filter leaves, newest first.
	AuditRows(ctx context.Context, f agent.AuditFilter, p agent.Page) ([]agent.AuditRow, string, error)
	// Ledger lists the double entry of one run, or all of it for "", oldest first.
	Ledger(ctx context.Context, runID string, p agent.Page) ([]agent.LedgerEntry, string, error)
}

// Budgets answers the calls about budgets.
type Budgets struct {
	Store      budgetsStore
	Service    *service.Service
	Visibility *request.Visibility
}

// budgetsStore is the part of the store that Budgets needs.
type budgetsStore interface {
	// Budget answers NotFound for one that has ended.
	Budget(ctx context.Context, id string) (*agent.Budget, error)
	// BudgetStandings is how each stands in its current window, the fullest subject first.
	BudgetStatuses(ctx context.Context) ([]agent.BudgetStatus, error)
	// BudgetStandingsOf is how those stand that bound one user, for that user.
	BudgetStatusesOf(ctx context.Context, userID string) ([]agent.BudgetStatus, error)
	EndBudget(ctx context.Context, v agent.Viewer, id string) error
}

// Conversations answers the calls about conversations.
type Conversations struct {
	Store      conversationsStore
	Desk       *service.Runs
	Logger     *slog.Logger
	Service    *service.Service
	Streams    *live.Streams
	Visibility *request.Visibility
	Log        *live.EventLog
}

// conversationsStore is the part of the store that Conversations needs.
type conversationsStore interface {
	Conversation(ctx context.Context, v agent.Viewer, id string) (*agent.Conversation, error)
	// Conversations lists the owner's own, newest change first; search matches titles.
	Conversations(ctx context.Context, ownerID, search string, p agent.Page) ([]agent.Conversation, string, error)
	// Messages is the active branch, oldest first.
	Messages(ctx context.Context, v agent.Viewer, id string) ([]agent.Message, error)
	// SetPinned is for the owner only, and for messages of persons.
	SetPinned(ctx context.Context, v agent.Viewer, conversationID, messageID string, pinned bool) error
}

// Guards answers the calls about guards.
type Guards struct {
	Store   guardsStore
	Clock   agent.Clock
	Service *service.Service
}

// guardsStore is the part of the store that Guards needs.
type guardsStore interface {
	GuardConfig(ctx context.Context) (agent.GuardConfig, error)
	// GuardRules lists active and proposed rules for tools, newest first.
	GuardRules(ctx context.Context) ([]agent.GuardRule, error)
}

// Models answers the calls about models.
type Models struct {
	Clock        agent.Clock
	DefaultModel string
	Models       service.Endpoints
	Prices       service.PriceBook
	Service      *service.Service
	Visibility   *request.Visibility
}

// Notifications answers the calls about notifications.
type Notifications struct {
	Store notificationsStore
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

// Policy answers the calls about policy.
type Policy struct {
	Store       policyStore
	Clock       agent.Clock
	PolicyRules []agent.PolicyRule
	Service     *service.Service
}

// policyStore is the part of the store that Policy needs.
type policyStore interface {
	// AllPolicyRules lists those of a state, or all for "", newest first.
	AllPolicyRules(ctx context.Context, state agent.PolicyState, p agent.Page) ([]agent.PolicyRule, string, error)
	PolicyRule(ctx context.Context, id string) (*agent.PolicyRule, error)
}

// Prices answers the calls about prices.
type Prices struct {
	Store   pricesStore
	Prices  service.PriceBook
	Service *service.Service
}

// pricesStore is the part of the store that Prices needs.
type pricesStore interface {
	// Prices are sorted by endpoint, model and day.
	Prices(ctx context.Context) ([]agent.PriceRow, error)
}

// Runs answers the calls about runs.
type Runs struct {
	Store      runsStore
	Desk       *service.Runs
	Visibility *request.Visibility
}

// runsStore is the part of the store that Runs needs.
type runsStore interface {
	// PendingApprovalIDs are the run's open approvals, oldest first.
	PendingApprovalIDs(ctx context.Context, runID string) ([]string, error)
	// Run also answers reviewers, where the run has an approval.
	Run(ctx context.Context, v agent.Viewer, id string) (*agent.Run, error)
	// Verdicts lists what the guards said in a run, oldest first.
	Verdicts(ctx context.Context, runID string) ([]agent.VerdictRecord, error)
}

// Spend answers the calls about spend.
type Spend struct {
	Store      spendStore
	Clock      agent.Clock
	Visibility *request.Visibility
}

// spendStore is the part of the store that Spend needs.
type spendStore interface {
	Spend(ctx context.Context, q agent.SpendQuery) ([]agent.SpendRow, error)
}

// Tools answers the calls about tools.
type Tools struct {
	Tools agent.Toolbox
}

// Users answers the calls about users.
type Users struct {
	Store   usersStore
	Service *service.Service
}

// usersStore is the part of the store that Users needs.
type usersStore interface {
	Users(ctx context.Context, p agent.Page) ([]agent.User, string, error)
}
