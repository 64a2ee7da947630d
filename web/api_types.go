package web

import (
	"context"
	"fusebox/agent"
	"fusebox/agent/service"
	"log/slog"
)

// apiAlerts answers the calls about alerts.
type apiAlerts struct {
	Bell *bell
}

// apiApprovals answers the calls about approvals.
type apiApprovals struct {
	Store      apiApprovalsStore
	Clock      agent.Clock
	Desk       *service.Desk
	Service    *service.Service
	Visibility *visibility
}

// apiApprovalsStore is the part of the store that apiApprovals needs.
type apiApprovalsStore interface {
	Approval(ctx context.Context, v agent.Viewer, id string) (*agent.Approval, error)
	// Approvals lists what the viewer may see: his own conversations', all for
	// reviewers and admins; pending ones oldest first, others newest first.
	Approvals(ctx context.Context, v agent.Viewer, f agent.ApprovalFilter, p agent.Page) ([]agent.Approval, string, error)
}

// apiAudit answers the calls about audit.
type apiAudit struct {
	Store apiAuditStore
}

// apiAuditStore is the part of the store that apiAudit needs.
type apiAuditStore interface {
	// AuditRows lists what a filter leaves, newest first.
	AuditRows(ctx context.Context, f agent.AuditFilter, p agent.Page) ([]agent.AuditRow, string, error)
	// Ledger lists the double entry of one run, or all of it for "", oldest first.
	Ledger(ctx context.Context, runID string, p agent.Page) ([]agent.LedgerEntry, string, error)
}

// apiBudgets answers the calls about budgets.
type apiBudgets struct {
	Store      apiBudgetsStore
	Service    *service.Service
	Visibility *visibility
}

// apiBudgetsStore is the part of the store that apiBudgets needs.
type apiBudgetsStore interface {
	// Budget answers NotFound for one that has ended.
	Budget(ctx context.Context, id string) (*agent.Budget, error)
	// BudgetStandings is how each stands in its current window, the fullest subject first.
	BudgetStandings(ctx context.Context) ([]agent.Standing, error)
	// BudgetStandingsOf is how those stand that bound one user, for that user.
	BudgetStandingsOf(ctx context.Context, userID string) ([]agent.Standing, error)
	EndBudget(ctx context.Context, v agent.Viewer, id string) error
}

// apiConversations answers the calls about conversations.
type apiConversations struct {
	Store      apiConversationsStore
	Desk       *service.Desk
	Logger     *slog.Logger
	Service    *service.Service
	Streams    *streams
	Visibility *visibility
	Log        *eventLog
}

// apiConversationsStore is the part of the store that apiConversations needs.
type apiConversationsStore interface {
	Conversation(ctx context.Context, v agent.Viewer, id string) (*agent.Conversation, error)
	// Conversations lists the owner's own, newest change first; search matches titles.
	Conversations(ctx context.Context, ownerID, search string, p agent.Page) ([]agent.Conversation, string, error)
	// Messages is the active branch, oldest first.
	Messages(ctx context.Context, v agent.Viewer, id string) ([]agent.Message, error)
	// SetPinned is for the owner only, and for messages of persons.
	SetPinned(ctx context.Context, v agent.Viewer, conversationID, messageID string, pinned bool) error
}

// apiGuards answers the calls about guards.
type apiGuards struct {
	Store   apiGuardsStore
	Clock   agent.Clock
	Service *service.Service
}

// apiGuardsStore is the part of the store that apiGuards needs.
type apiGuardsStore interface {
	GuardConfig(ctx context.Context) (agent.GuardConfig, error)
	// GuardRules lists active and proposed rules for tools, newest first.
	GuardRules(ctx context.Context) ([]agent.GuardRule, error)
}

// apiModels answers the calls about models.
type apiModels struct {
	Clock        agent.Clock
	DefaultModel string
	Models       Models
	Prices       Prices
	Service      *service.Service
	Visibility   *visibility
}

// apiNotifications answers the calls about notifications.
type apiNotifications struct {
	Store apiNotificationsStore
}

// apiNotificationsStore is the part of the store that apiNotifications needs.
type apiNotificationsStore interface {
	// Deliveries lists newest first.
	Deliveries(ctx context.Context, f agent.DeliveryFilter, p agent.Page) ([]agent.Delivery, string, error)
	// PostTest has a test told by a channel, audited; Conflict where it is not configured.
	PostTest(ctx context.Context, actor string, c agent.Channel) (fresh string, err error)
	// Resend makes a new delivery of one that is at its end, audited; Conflict while it is on its way.
	Resend(ctx context.Context, actor, id string) (fresh string, err error)
}

// apiPolicy answers the calls about policy.
type apiPolicy struct {
	Store       apiPolicyStore
	Clock       agent.Clock
	PolicyRules []agent.PolicyRule
	Service     *service.Service
}

// apiPolicyStore is the part of the store that apiPolicy needs.
type apiPolicyStore interface {
	// AllPolicyRules lists those of a state, or all for "", newest first.
	AllPolicyRules(ctx context.Context, state agent.PolicyState, p agent.Page) ([]agent.PolicyRule, string, error)
	PolicyRule(ctx context.Context, id string) (*agent.PolicyRule, error)
}

// apiPrices answers the calls about prices.
type apiPrices struct {
	Store   apiPricesStore
	Prices  Prices
	Service *service.Service
}

// apiPricesStore is the part of the store that apiPrices needs.
type apiPricesStore interface {
	// Prices are sorted by endpoint, model and day.
	Prices(ctx context.Context) ([]agent.PriceRow, error)
}

// apiRuns answers the calls about runs.
type apiRuns struct {
	Store      apiRunsStore
	Desk       *service.Desk
	Visibility *visibility
}

// apiRunsStore is the part of the store that apiRuns needs.
type apiRunsStore interface {
	// PendingApprovalIDs are the run's open approvals, oldest first.
	PendingApprovalIDs(ctx context.Context, runID string) ([]string, error)
	// Run also answers reviewers, where the run has an approval.
	Run(ctx context.Context, v agent.Viewer, id string) (*agent.Run, error)
	// Verdicts lists what the guards said in a run, oldest first.
	Verdicts(ctx context.Context, runID string) ([]agent.VerdictRecord, error)
}

// apiSpend answers the calls about spend.
type apiSpend struct {
	Store      apiSpendStore
	Clock      agent.Clock
	Visibility *visibility
}

// apiSpendStore is the part of the store that apiSpend needs.
type apiSpendStore interface {
	Spend(ctx context.Context, q agent.SpendQuery) ([]agent.SpendRow, error)
}

// apiTools answers the calls about tools.
type apiTools struct {
	Tools agent.Toolbox
}

// apiUsers answers the calls about users.
type apiUsers struct {
	Store   apiUsersStore
	Service *service.Service
}

// apiUsersStore is the part of the store that apiUsers needs.
type apiUsersStore interface {
	Users(ctx context.Context, p agent.Page) ([]agent.User, string, error)
}
