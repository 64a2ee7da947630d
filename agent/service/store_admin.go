package service

import (
	"context"
	"time"

	"fusebox/agent"
)

// MemoryStore has what people's chats remember of them.
type MemoryStore interface {
	// Facts lists a person's facts, newest first.
	Facts(ctx context.Context, userID string) ([]agent.Fact, error)
	// FactsForRun is Facts, and Forbidden where the memory is off.
	FactsForRun(ctx context.Context, userID string) ([]agent.Fact, error)
	// AddFact answers fresh = false where the person has the fact, Conflict where the memory
	// is full, and Forbidden for a fact of a run where it is off.
	AddFact(ctx context.Context, f agent.Fact) (fresh bool, err error)
	// ChangeFact answers NotFound for others' facts, and Conflict for a text that is there.
	ChangeFact(ctx context.Context, f agent.Fact) error
	DeleteFact(ctx context.Context, userID, id string) error
	DeleteFacts(ctx context.Context, userID string) error
	SetMemory(ctx context.Context, userID string, on bool) error
}

// BudgetStore has the budgets of admins. Changes are audited under the viewer.
type BudgetStore interface {
	// Budget answers NotFound for one that has ended.
	Budget(ctx context.Context, id string) (*agent.Budget, error)
	// BudgetStatuses is the state of each in its current window, the fullest subject first.
	BudgetStatuses(ctx context.Context) ([]agent.BudgetStatus, error)
	// BudgetStatusesOf is the status of the budgets that limit a user, as that user may see it.
	BudgetStatusesOf(ctx context.Context, userID string) ([]agent.BudgetStatus, error)
	// AddBudget answers Conflict where one applies to the same people and window, or too many do.
	AddBudget(ctx context.Context, v agent.Viewer, b agent.Budget) error
	// ChangeBudget sets the limits and what happens at them, never the people or the window.
	// Conflict if the budget has changed since was.
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

// LedgerStore has the bill.
type LedgerStore interface {
	Spend(ctx context.Context, q agent.SpendQuery) ([]agent.SpendRow, error)
	// NamedCosts are what endpoints have said of calls between two instants, by model.
	NamedCosts(ctx context.Context, from, to time.Time) ([]agent.NamedCost, error)
	// SpendTotal sums the whole range.
	SpendTotal(ctx context.Context, q agent.SpendQuery) (agent.SpendRow, error)
	// SpendByDayAndModel returns one row per day (or week, or month: the query's
	// Span) and model; Key is the span's first day, Label the model.
	SpendByDayAndModel(ctx context.Context, q agent.SpendQuery) ([]agent.SpendRow, error)
	// Ledger lists the double entry of one run, or all of it for "", oldest first.
	Ledger(ctx context.Context, runID string, p agent.Page) ([]agent.LedgerEntry, string, error)
}

// AuditStore has the audit log.
type AuditStore interface {
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

// AlertRaiser tells people what they have not been told yet.
type AlertRaiser interface {
	RaiseAlert(ctx context.Context, a agent.Alert) error
}

// AlertStore has the alerts about money.
type AlertStore interface {
	AlertRaiser
	// Alerts lists the viewer's own, for admins also the instance's, newest first.
	Alerts(ctx context.Context, v agent.Viewer, p agent.Page) ([]agent.Alert, string, error)
	UnseenAlerts(ctx context.Context, v agent.Viewer) (int, error)
	// SeeAlerts notes that the viewer has seen all up to a time.
	SeeAlerts(ctx context.Context, v agent.Viewer, until time.Time) error
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

// RuleReader reads the rules of admins and of approvals.
type RuleReader interface {
	// PolicyRules are those in force now, oldest first.
	PolicyRules(ctx context.Context) ([]agent.PolicyRule, error)
}

// RuleStore has the rules of admins and of approvals. Changes are audited
// under the viewer.
type RuleStore interface {
	RuleReader
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

// GuardReader reads how the breakers are set.
type GuardReader interface {
	GuardConfig(ctx context.Context) (agent.GuardConfig, error)
}

// GuardStore has how the breakers are set, what they said, and past runs to
// try other settings on. Changes are audited under the actor's e-mail address.
type GuardStore interface {
	GuardReader
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
	// ProposeRule marks a decided loop approval as not a loop and stores the proposal; Conflict if that was already done.
	ProposeRule(ctx context.Context, g agent.GuardRule) error
	// SaveRule puts a rule in force in place of the tool's active one and of the proposal of the same id.
	SaveRule(ctx context.Context, g agent.GuardRule) error
	DismissRule(ctx context.Context, actor, id string) error
}

// SettingReader reads what admins have set for the whole instance.
type SettingReader interface {
	// Setting is "" for nothing.
	Setting(ctx context.Context, key string) (string, error)
}

// SettingStore reads and changes what admins have set for the whole instance.
type SettingStore interface {
	SettingReader
	// SetSetting is audited under the actor's e-mail address; "" takes the setting back.
	SetSetting(ctx context.Context, actor, key, value string) error
}

// ConnectionStore keeps the connected endpoints. Changes are audited under the viewer.
type ConnectionStore interface {
	// Connections are all, sorted by name, with those that were removed.
	Connections(ctx context.Context) ([]agent.Connection, error)
	// AddConnection answers Conflict where there is one of that name, or too many.
	AddConnection(ctx context.Context, v agent.Viewer, c agent.Connection) error
	// ChangeConnection answers NotFound where there is none, Conflict where its version is another one.
	ChangeConnection(ctx context.Context, v agent.Viewer, c agent.Connection) error
	// RemoveConnection also clears the default model if the connection serves it; its errors are
	// those of ChangeConnection.
	RemoveConnection(ctx context.Context, v agent.Viewer, name string, version int64) error
}

// AgentReader reads agents.
type AgentReader interface {
	// Agents are those there are, by name.
	Agents(ctx context.Context) ([]agent.Agent, error)
	// Agent is an agent as it is for version 0, else that version of one that may have been
	// deleted since. NotFound where there is none.
	Agent(ctx context.Context, name string, version int) (*agent.Agent, error)
}

// AgentStore keeps agents and their versions. Changes are audited under the viewer; they
// answer Conflict for an agent of the configuration.
type AgentStore interface {
	AgentReader
	// DeletedAgents are the names of those that were deleted.
	DeletedAgents(ctx context.Context) ([]string, error)
	// AgentVersions are the newest versions of an agent, which may have been deleted, the newest first.
	AgentVersions(ctx context.Context, name string) ([]agent.Agent, error)
	// CreateAgent answers Conflict where the name is taken, or there are too many. Versions
	// of one that had the name before go on counting.
	CreateAgent(ctx context.Context, v agent.Viewer, a agent.Agent) (agent.Agent, error)
	// UpdateAgent makes a new version; Conflict where the newest one is not the one given.
	UpdateAgent(ctx context.Context, v agent.Viewer, a agent.Agent) (agent.Agent, error)
	DeleteAgent(ctx context.Context, v agent.Viewer, name string) error
}

// WorkflowReader reads one workflow.
type WorkflowReader interface {
	// Workflow is like Agent of AgentReader.
	Workflow(ctx context.Context, name string, version int) (*agent.Workflow, error)
}

// FlowReader reads workflows, and the agents that they name.
type FlowReader interface {
	WorkflowReader
	AgentReader
}

// WorkflowStore keeps workflows and their versions, as AgentStore keeps agents.
type WorkflowStore interface {
	FlowReader
	Workflows(ctx context.Context) ([]agent.Workflow, error)
	DeletedWorkflows(ctx context.Context) ([]string, error)
	WorkflowVersions(ctx context.Context, name string) ([]agent.Workflow, error)
	CreateWorkflow(ctx context.Context, v agent.Viewer, w agent.Workflow) (agent.Workflow, error)
	UpdateWorkflow(ctx context.Context, v agent.Viewer, w agent.Workflow) (agent.Workflow, error)
	DeleteWorkflow(ctx context.Context, v agent.Viewer, name string) error
}

// LeftoverStore has the files of deleted conversations that could not be removed.
type LeftoverStore interface {
	// Deleted are those of some conversations that were deleted.
	Deleted(ctx context.Context, ids []string) ([]string, error)
	// NoteLeftover keeps why the files of a deleted conversation are still there; nil is
	// that they are gone.
	NoteLeftover(ctx context.Context, conversationID string, at time.Time, problem error) error
	// Leftovers lists those noted, the oldest first.
	Leftovers(ctx context.Context, limit int) ([]agent.Leftover, error)
}
