package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// route is one door: who may pass it, and whose thing lies behind it. The test
// of access is made from this table, so a door that is not in it does not exist.
type route struct {
	method, path string
	access       access
	owns         owned
	handler      func(*Server, echo.Context) error
}

// owned says what :id names, and so to whom strangers get 404.
type owned string

const (
	nothing      owned = ""
	conversation owned = "conversation"
	run          owned = "run"
	ownRun       owned = "own run" // not even admins go on with another one's run
	approval     owned = "approval"
	ownCard      owned = "own approval" // its owner, too, may do this
	token        owned = "token"
	rule         owned = "rule"
	account      owned = "user"
	delivery     owned = "delivery"
	policyRule   owned = "policy rule"
	budget       owned = "budget"
)

const (
	get  = http.MethodGet
	post = http.MethodPost
)

var routes = []route{
	// Pages.
	{get, "/", signedIn, nothing, (*Server).chatNew},
	{get, "/c/:id", signedIn, conversation, (*Server).chatShow},
	{get, "/login", public, nothing, (*Server).pageLogin},
	{get, "/setup", public, nothing, (*Server).pageSetup},
	{get, "/approvals", signedIn, nothing, (*Server).pageApprovals},
	{get, "/approvals/:id", signedIn, approval, (*Server).approvalOpen},
	{get, "/alerts", signedIn, nothing, (*Server).pageAlerts},
	{get, "/runs/:id", signedIn, run, (*Server).pageRun},
	{get, "/settings", signedIn, nothing, (*Server).pageSettings},
	{get, "/admin/spend", admins, nothing, (*Server).pageSpend},
	{get, "/admin/spend.csv", admins, nothing, (*Server).spendCSV},
	{get, "/admin/budgets", admins, nothing, (*Server).pageBudgets},
	{get, "/admin/users", admins, nothing, (*Server).pageUsers},
	{get, "/admin/models", admins, nothing, (*Server).pageModels},
	{get, "/admin/models/price", admins, nothing, (*Server).pagePrice},
	{get, priceListPage, admins, nothing, (*Server).pagePriceImport},
	{get, "/admin/guards", admins, nothing, (*Server).pageGuards},
	{get, "/admin/notifications", admins, nothing, (*Server).pageNotifications},
	{get, "/admin/audit", admins, nothing, (*Server).pageAudit},
	{get, "/admin/audit.csv", admins, nothing, (*Server).auditCSV},
	{get, "/admin/audit/mirror", admins, nothing, (*Server).pageMirror},
	{get, "/admin/tools", admins, nothing, (*Server).pageTools},
	{get, "/runs/:id/raw", admins, run, (*Server).pageRaw},

	// What the pages' forms do.
	{post, "/login", public, nothing, (*Server).loginPost},
	{post, "/logout", signedIn, nothing, (*Server).logoutPost},
	{post, "/setup", public, nothing, (*Server).setupPost},
	{post, "/", signedIn, nothing, (*Server).chatCreate},
	{post, "/c/:id/messages", signedIn, conversation, (*Server).messagePost},
	{post, "/c/:id/settings", signedIn, conversation, (*Server).chatUpdate},
	{post, "/c/:id/delete", signedIn, conversation, (*Server).chatDelete},
	{post, "/c/:id/messages/:message/pin", signedIn, conversation, (*Server).messagePin},
	{post, "/runs/:id/abort", signedIn, run, (*Server).runAbort},
	{post, "/runs/:id/again", signedIn, ownRun, (*Server).runAgain},
	{post, "/approvals/bulk", signedIn, nothing, (*Server).approvalBulk},
	{post, "/approvals/:id/decision", signedIn, approval, (*Server).approvalDecide},
	{post, "/approvals/:id/look", signedIn, approval, (*Server).approvalLook},
	{post, "/approvals/:id/undo", signedIn, approval, (*Server).approvalUndo},
	{post, "/approvals/:id/again", signedIn, ownCard, (*Server).approvalAgain},
	{post, "/approvals/:id/revoke", signedIn, ownCard, (*Server).approvalRevoke},
	{post, "/approvals/:id/not-a-loop", signedIn, approval, (*Server).approvalNotLoop},
	{post, "/settings/password", signedIn, nothing, (*Server).passwordChange},
	{post, "/settings/output", signedIn, nothing, (*Server).outputSet},
	{post, "/settings/notify", signedIn, nothing, (*Server).notifySet},
	{post, "/settings/theme", signedIn, nothing, (*Server).themeSet},
	{post, "/settings/tokens", signedIn, nothing, (*Server).tokenCreate},
	{post, "/settings/tokens/:id/delete", signedIn, token, (*Server).tokenDelete},
	{post, "/admin/budgets", admins, nothing, (*Server).budgetPost},
	{post, "/admin/budgets/:id", admins, budget, (*Server).budgetChangePost},
	{post, "/admin/budgets/:id/end", admins, budget, (*Server).budgetEndPost},
	{post, "/admin/spend/money", admins, nothing, (*Server).moneyHiddenPost},
	{post, "/admin/users", admins, nothing, (*Server).userCreate},
	{post, "/admin/users/:id", admins, account, (*Server).userUpdate},
	{post, "/admin/models/test", admins, nothing, (*Server).modelProbePost},
	{post, "/admin/models/price", admins, nothing, (*Server).priceSetPost},
	{post, "/admin/models/price/remove", admins, nothing, (*Server).priceRemovePost},
	{post, priceListPage, admins, nothing, (*Server).priceListPost},
	{post, "/admin/models/import/confirm", admins, nothing, (*Server).priceConfirmPost},
	{post, "/admin/notifications/test", admins, nothing, (*Server).notificationTryPost},
	{post, "/admin/notifications/:id/resend", admins, delivery, (*Server).notificationResendPost},
	{post, "/admin/guards/numbers", admins, nothing, (*Server).guardNumbersPost},
	{post, "/admin/guards/detectors/:name", admins, nothing, (*Server).guardSwitchPost},
	{post, "/admin/guards/rules", admins, nothing, (*Server).guardRulePost},
	{post, "/admin/guards/rules/:id/accept", admins, rule, (*Server).guardRuleAcceptPost},
	{post, "/admin/guards/rules/:id/delete", admins, rule, (*Server).guardRuleDeletePost},
	{post, "/admin/tools/rules", admins, nothing, (*Server).policyRulePost},
	{post, "/admin/tools/rules/:id", admins, policyRule, (*Server).policyRuleChangePost},
	{post, "/admin/tools/rules/:id/revoke", admins, policyRule, (*Server).policyRuleRevokePost},

	// Programs.
	{get, "/api/openapi.json", public, nothing, (*Server).openapiGet},
	{post, "/api/v1/conversations", signedIn, nothing, (*Server).conversationCreate},
	{get, "/api/v1/conversations", signedIn, nothing, (*Server).conversationList},
	{get, "/api/v1/conversations/:id", signedIn, conversation, (*Server).conversationGet},
	{http.MethodPatch, "/api/v1/conversations/:id", signedIn, conversation, (*Server).conversationUpdate},
	{http.MethodDelete, "/api/v1/conversations/:id", signedIn, conversation, (*Server).conversationDelete},
	{get, "/api/v1/conversations/:id/messages", signedIn, conversation, (*Server).messageList},
	{post, "/api/v1/conversations/:id/messages", signedIn, conversation, (*Server).messageCreate},
	{http.MethodPut, "/api/v1/conversations/:id/messages/:message/pin", signedIn, conversation, (*Server).messagePinAPI},
	{get, "/api/v1/conversations/:id/events", signedIn, conversation, (*Server).eventList},
	{get, "/api/v1/runs/:id", signedIn, run, (*Server).runGet},
	{post, "/api/v1/runs/:id/abort", signedIn, run, (*Server).runAbortAPI},
	{post, "/api/v1/runs/:id/again", signedIn, ownRun, (*Server).runAgainAPI},
	{get, "/api/v1/runs/:id/verdicts", signedIn, run, (*Server).verdictList},
	{get, "/api/v1/approvals", signedIn, nothing, (*Server).approvalList},
	{post, "/api/v1/approvals/bulk", signedIn, nothing, (*Server).approvalBulkAPI},
	{get, "/api/v1/approvals/:id", signedIn, approval, (*Server).approvalGet},
	{post, "/api/v1/approvals/:id/decision", signedIn, approval, (*Server).approvalDecideAPI},
	{post, "/api/v1/approvals/:id/undo", signedIn, approval, (*Server).approvalUndoAPI},
	{post, "/api/v1/approvals/:id/again", signedIn, ownCard, (*Server).approvalAgainAPI},
	{post, "/api/v1/approvals/:id/revoke", signedIn, ownCard, (*Server).approvalRevokeAPI},
	{post, "/api/v1/approvals/:id/not-a-loop", signedIn, approval, (*Server).approvalNotLoopAPI},
	{get, "/api/v1/alerts", signedIn, nothing, (*Server).alertList},
	{get, "/api/v1/spend", signedIn, nothing, (*Server).spendList},
	{get, "/api/v1/tools", signedIn, nothing, (*Server).toolList},
	{get, "/api/v1/models", signedIn, nothing, (*Server).modelList},
	{post, "/api/v1/models/test", admins, nothing, (*Server).modelProbe},
	{get, "/api/v1/prices", admins, nothing, (*Server).priceList},
	{http.MethodPut, "/api/v1/prices", admins, nothing, (*Server).priceSet},
	{http.MethodDelete, "/api/v1/prices", admins, nothing, (*Server).priceRemove},
	{post, priceListCall, admins, nothing, (*Server).priceImport},
	{get, "/api/v1/users", admins, nothing, (*Server).userList},
	{http.MethodPatch, "/api/v1/users/:id", admins, account, (*Server).userPatch},
	{get, "/api/v1/budgets", signedIn, nothing, (*Server).budgetList},
	{post, "/api/v1/budgets", admins, nothing, (*Server).budgetCreate},
	{http.MethodPatch, "/api/v1/budgets/:id", admins, budget, (*Server).budgetChange},
	{http.MethodDelete, "/api/v1/budgets/:id", admins, budget, (*Server).budgetEnd},
	{get, "/api/v1/audit", admins, nothing, (*Server).auditList},
	{get, "/api/v1/ledger", admins, nothing, (*Server).ledgerList},
	{get, "/api/v1/notifications", admins, nothing, (*Server).notificationList},
	{post, "/api/v1/notifications/test", admins, nothing, (*Server).notificationTry},
	{post, "/api/v1/notifications/:id/resend", admins, delivery, (*Server).notificationResend},
	{get, "/api/v1/guards", admins, nothing, (*Server).guardList},
	{http.MethodPut, "/api/v1/guards/numbers/:key", admins, nothing, (*Server).guardNumberSet},
	{http.MethodPut, "/api/v1/guards/detectors/:name", admins, nothing, (*Server).guardSwitchSet},
	{post, "/api/v1/guards/rules", admins, nothing, (*Server).guardRuleCreate},
	{post, "/api/v1/guards/rules/:id/accept", admins, rule, (*Server).guardRuleAccept},
	{http.MethodDelete, "/api/v1/guards/rules/:id", admins, rule, (*Server).guardRuleDelete},
	{post, "/api/v1/guards/backtest", admins, nothing, (*Server).guardBacktest},
	{get, "/api/v1/policy/rules", reviewers, nothing, (*Server).policyRuleList},
	{post, "/api/v1/policy/rules", admins, nothing, (*Server).policyRuleCreate},
	{http.MethodPut, "/api/v1/policy/rules/:id", admins, policyRule, (*Server).policyRuleChange},
	{http.MethodDelete, "/api/v1/policy/rules/:id", reviewers, policyRule, (*Server).policyRuleRevoke},
	{post, "/api/v1/policy/test", admins, nothing, (*Server).policyTry},

	// Sockets.
	{get, "/ws/conversations/:id", signedIn, conversation, (*Server).conversationSocket},
	{get, "/ws/inbox", reviewers, nothing, (*Server).inboxSocket},

	// Health and files.
	{get, "/healthz", public, nothing, (*Server).healthGet},
	{get, "/readyz", public, nothing, (*Server).readyGet},
	{get, "/metrics", scrapers, nothing, (*Server).metricsGet},
	{get, "/static/*", public, nothing, (*Server).assetGet},
}
