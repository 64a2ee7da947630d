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
	handler      func(*handlers) echo.HandlerFunc
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
	{get, "/", signedIn, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Chat.chatNew }},
	{get, "/c/:id", signedIn, conversation, func(h *handlers) echo.HandlerFunc { return h.page.Chat.chatShow }},
	{get, "/login", public, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Account.pageLogin }},
	{get, "/setup", public, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Account.pageSetup }},
	{get, "/approvals", signedIn, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Inbox.pageApprovals }},
	{get, "/approvals/:id", signedIn, approval, func(h *handlers) echo.HandlerFunc { return h.page.Approval.approvalOpen }},
	{get, "/alerts", signedIn, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Alerts.pageAlerts }},
	{get, "/runs/:id", signedIn, run, func(h *handlers) echo.HandlerFunc { return h.page.Runs.pageRun }},
	{get, "/settings", signedIn, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Settings.pageSettings }},
	{get, "/admin/spend", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Spend.pageSpend }},
	{get, "/admin/spend.csv", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Spend.spendCSV }},
	{get, "/admin/budgets", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Budgets.pageBudgets }},
	{get, "/admin/users", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Users.pageUsers }},
	{get, "/admin/models", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Models.pageModels }},
	{get, "/admin/models/price", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Prices.pagePrice }},
	{get, priceListPage, admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Prices.pagePriceImport }},
	{get, "/admin/guards", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Guards.pageGuards }},
	{get, "/admin/notifications", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Notifications.pageNotifications }},
	{get, "/admin/audit", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Audit.pageAudit }},
	{get, "/admin/audit.csv", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Audit.auditCSV }},
	{get, "/admin/audit/mirror", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Audit.pageMirror }},
	{get, "/admin/tools", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Tools.pageTools }},
	{get, "/runs/:id/raw", admins, run, func(h *handlers) echo.HandlerFunc { return h.page.Runs.pageRaw }},

	// What the pages' forms do.
	{post, "/login", public, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Account.loginPost }},
	{post, "/logout", signedIn, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Account.logoutPost }},
	{post, "/setup", public, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Account.setupPost }},
	{post, "/", signedIn, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Chat.chatCreate }},
	{post, "/c/:id/messages", signedIn, conversation, func(h *handlers) echo.HandlerFunc { return h.page.Chat.messagePost }},
	{post, "/c/:id/settings", signedIn, conversation, func(h *handlers) echo.HandlerFunc { return h.page.Chat.chatUpdate }},
	{post, "/c/:id/delete", signedIn, conversation, func(h *handlers) echo.HandlerFunc { return h.page.Chat.chatDelete }},
	{post, "/c/:id/messages/:message/pin", signedIn, conversation, func(h *handlers) echo.HandlerFunc { return h.page.Chat.messagePin }},
	{post, "/runs/:id/abort", signedIn, run, func(h *handlers) echo.HandlerFunc { return h.page.Runs.runAbort }},
	{post, "/runs/:id/again", signedIn, ownRun, func(h *handlers) echo.HandlerFunc { return h.page.Runs.runAgain }},
	{post, "/approvals/bulk", signedIn, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Inbox.approvalBulk }},
	{post, "/approvals/:id/decision", signedIn, approval, func(h *handlers) echo.HandlerFunc { return h.page.Approval.approvalDecide }},
	{post, "/approvals/:id/look", signedIn, approval, func(h *handlers) echo.HandlerFunc { return h.page.Approval.approvalLook }},
	{post, "/approvals/:id/undo", signedIn, approval, func(h *handlers) echo.HandlerFunc { return h.page.Approval.approvalUndo }},
	{post, "/approvals/:id/again", signedIn, ownCard, func(h *handlers) echo.HandlerFunc { return h.page.Approval.approvalAgain }},
	{post, "/approvals/:id/revoke", signedIn, ownCard, func(h *handlers) echo.HandlerFunc { return h.page.Approval.approvalRevoke }},
	{post, "/approvals/:id/not-a-loop", signedIn, approval, func(h *handlers) echo.HandlerFunc { return h.page.Approval.approvalNotLoop }},
	{post, "/settings/password", signedIn, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Settings.passwordChange }},
	{post, "/settings/output", signedIn, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Settings.outputSet }},
	{post, "/settings/notify", signedIn, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Settings.notifySet }},
	{post, "/settings/theme", signedIn, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Settings.themeSet }},
	{post, "/settings/tokens", signedIn, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Settings.tokenCreate }},
	{post, "/settings/tokens/:id/delete", signedIn, token, func(h *handlers) echo.HandlerFunc { return h.page.Settings.tokenDelete }},
	{post, "/admin/budgets", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Budgets.budgetPost }},
	{post, "/admin/budgets/:id", admins, budget, func(h *handlers) echo.HandlerFunc { return h.page.Budgets.budgetChangePost }},
	{post, "/admin/budgets/:id/end", admins, budget, func(h *handlers) echo.HandlerFunc { return h.page.Budgets.budgetEndPost }},
	{post, "/admin/spend/money", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Spend.moneyHiddenPost }},
	{post, "/admin/users", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Users.userCreate }},
	{post, "/admin/users/:id", admins, account, func(h *handlers) echo.HandlerFunc { return h.page.Users.userUpdate }},
	{post, "/admin/models/test", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Models.modelProbePost }},
	{post, "/admin/models/price", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Prices.priceSetPost }},
	{post, "/admin/models/price/remove", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Prices.priceRemovePost }},
	{post, priceListPage, admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Prices.priceListPost }},
	{post, "/admin/models/import/confirm", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Prices.priceConfirmPost }},
	{post, "/admin/notifications/test", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Notifications.notificationTryPost }},
	{post, "/admin/notifications/:id/resend", admins, delivery, func(h *handlers) echo.HandlerFunc { return h.page.Notifications.notificationResendPost }},
	{post, "/admin/guards/numbers", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Guards.guardNumbersPost }},
	{post, "/admin/guards/detectors/:name", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Guards.guardSwitchPost }},
	{post, "/admin/guards/rules", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Guards.guardRulePost }},
	{post, "/admin/guards/rules/:id/accept", admins, rule, func(h *handlers) echo.HandlerFunc { return h.page.Guards.guardRuleAcceptPost }},
	{post, "/admin/guards/rules/:id/delete", admins, rule, func(h *handlers) echo.HandlerFunc { return h.page.Guards.guardRuleDeletePost }},
	{post, "/admin/tools/rules", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Tools.policyRulePost }},
	{post, "/admin/tools/rules/:id", admins, policyRule, func(h *handlers) echo.HandlerFunc { return h.page.Tools.policyRuleChangePost }},
	{post, "/admin/tools/rules/:id/revoke", admins, policyRule, func(h *handlers) echo.HandlerFunc { return h.page.Tools.policyRuleRevokePost }},

	// Programs.
	{get, "/api/openapi.json", public, nothing, func(h *handlers) echo.HandlerFunc { return h.server.openapiGet }},
	{post, "/api/v1/conversations", signedIn, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Conversations.conversationCreate }},
	{get, "/api/v1/conversations", signedIn, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Conversations.conversationList }},
	{get, "/api/v1/conversations/:id", signedIn, conversation, func(h *handlers) echo.HandlerFunc { return h.api.Conversations.conversationGet }},
	{http.MethodPatch, "/api/v1/conversations/:id", signedIn, conversation, func(h *handlers) echo.HandlerFunc { return h.api.Conversations.conversationUpdate }},
	{http.MethodDelete, "/api/v1/conversations/:id", signedIn, conversation, func(h *handlers) echo.HandlerFunc { return h.api.Conversations.conversationDelete }},
	{get, "/api/v1/conversations/:id/messages", signedIn, conversation, func(h *handlers) echo.HandlerFunc { return h.api.Conversations.messageList }},
	{post, "/api/v1/conversations/:id/messages", signedIn, conversation, func(h *handlers) echo.HandlerFunc { return h.api.Conversations.messageCreate }},
	{http.MethodPut, "/api/v1/conversations/:id/messages/:message/pin", signedIn, conversation, func(h *handlers) echo.HandlerFunc { return h.api.Conversations.messagePinAPI }},
	{get, "/api/v1/conversations/:id/events", signedIn, conversation, func(h *handlers) echo.HandlerFunc { return h.api.Conversations.eventList }},
	{get, "/api/v1/runs/:id", signedIn, run, func(h *handlers) echo.HandlerFunc { return h.api.Runs.runGet }},
	{post, "/api/v1/runs/:id/abort", signedIn, run, func(h *handlers) echo.HandlerFunc { return h.api.Runs.runAbortAPI }},
	{post, "/api/v1/runs/:id/again", signedIn, ownRun, func(h *handlers) echo.HandlerFunc { return h.api.Runs.runAgainAPI }},
	{get, "/api/v1/runs/:id/verdicts", signedIn, run, func(h *handlers) echo.HandlerFunc { return h.api.Runs.verdictList }},
	{get, "/api/v1/approvals", signedIn, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Approvals.approvalList }},
	{post, "/api/v1/approvals/bulk", signedIn, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Approvals.approvalBulkAPI }},
	{get, "/api/v1/approvals/:id", signedIn, approval, func(h *handlers) echo.HandlerFunc { return h.api.Approvals.approvalGet }},
	{post, "/api/v1/approvals/:id/decision", signedIn, approval, func(h *handlers) echo.HandlerFunc { return h.api.Approvals.approvalDecideAPI }},
	{post, "/api/v1/approvals/:id/undo", signedIn, approval, func(h *handlers) echo.HandlerFunc { return h.api.Approvals.approvalUndoAPI }},
	{post, "/api/v1/approvals/:id/again", signedIn, ownCard, func(h *handlers) echo.HandlerFunc { return h.api.Approvals.approvalAgainAPI }},
	{post, "/api/v1/approvals/:id/revoke", signedIn, ownCard, func(h *handlers) echo.HandlerFunc { return h.api.Approvals.approvalRevokeAPI }},
	{post, "/api/v1/approvals/:id/not-a-loop", signedIn, approval, func(h *handlers) echo.HandlerFunc { return h.api.Approvals.approvalNotLoopAPI }},
	{get, "/api/v1/alerts", signedIn, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Alerts.alertList }},
	{get, "/api/v1/spend", signedIn, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Spend.spendList }},
	{get, "/api/v1/tools", signedIn, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Tools.toolList }},
	{get, "/api/v1/models", signedIn, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Models.modelList }},
	{post, "/api/v1/models/test", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Models.modelProbe }},
	{get, "/api/v1/prices", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Prices.priceList }},
	{http.MethodPut, "/api/v1/prices", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Prices.priceSet }},
	{http.MethodDelete, "/api/v1/prices", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Prices.priceRemove }},
	{post, priceListCall, admins, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Prices.priceImport }},
	{get, "/api/v1/users", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Users.userList }},
	{http.MethodPatch, "/api/v1/users/:id", admins, account, func(h *handlers) echo.HandlerFunc { return h.api.Users.userPatch }},
	{get, "/api/v1/budgets", signedIn, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Budgets.budgetList }},
	{post, "/api/v1/budgets", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Budgets.budgetCreate }},
	{http.MethodPatch, "/api/v1/budgets/:id", admins, budget, func(h *handlers) echo.HandlerFunc { return h.api.Budgets.budgetChange }},
	{http.MethodDelete, "/api/v1/budgets/:id", admins, budget, func(h *handlers) echo.HandlerFunc { return h.api.Budgets.budgetEnd }},
	{get, "/api/v1/audit", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Audit.auditList }},
	{get, "/api/v1/ledger", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Audit.ledgerList }},
	{get, "/api/v1/notifications", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Notifications.notificationList }},
	{post, "/api/v1/notifications/test", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Notifications.notificationTry }},
	{post, "/api/v1/notifications/:id/resend", admins, delivery, func(h *handlers) echo.HandlerFunc { return h.api.Notifications.notificationResend }},
	{get, "/api/v1/guards", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Guards.guardList }},
	{http.MethodPut, "/api/v1/guards/numbers/:key", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Guards.guardNumberSet }},
	{http.MethodPut, "/api/v1/guards/detectors/:name", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Guards.guardSwitchSet }},
	{post, "/api/v1/guards/rules", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Guards.guardRuleCreate }},
	{post, "/api/v1/guards/rules/:id/accept", admins, rule, func(h *handlers) echo.HandlerFunc { return h.api.Guards.guardRuleAccept }},
	{http.MethodDelete, "/api/v1/guards/rules/:id", admins, rule, func(h *handlers) echo.HandlerFunc { return h.api.Guards.guardRuleDelete }},
	{post, "/api/v1/guards/backtest", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Guards.guardBacktest }},
	{get, "/api/v1/policy/rules", reviewers, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Policy.policyRuleList }},
	{post, "/api/v1/policy/rules", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Policy.policyRuleCreate }},
	{http.MethodPut, "/api/v1/policy/rules/:id", admins, policyRule, func(h *handlers) echo.HandlerFunc { return h.api.Policy.policyRuleChange }},
	{http.MethodDelete, "/api/v1/policy/rules/:id", reviewers, policyRule, func(h *handlers) echo.HandlerFunc { return h.api.Policy.policyRuleRevoke }},
	{post, "/api/v1/policy/test", admins, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Policy.policyTry }},

	// Sockets.
	{get, "/ws/conversations/:id", signedIn, conversation, func(h *handlers) echo.HandlerFunc { return h.live.Conversation.conversationSocket }},
	{get, "/ws/inbox", reviewers, nothing, func(h *handlers) echo.HandlerFunc { return h.live.Inbox.inboxSocket }},

	// Health and files.
	{get, "/healthz", public, nothing, func(h *handlers) echo.HandlerFunc { return h.server.healthGet }},
	{get, "/readyz", public, nothing, func(h *handlers) echo.HandlerFunc { return h.server.readyGet }},
	{get, "/metrics", scrapers, nothing, func(h *handlers) echo.HandlerFunc { return h.server.metricsGet }},
	{get, "/static/*", public, nothing, func(h *handlers) echo.HandlerFunc { return assetGet }},
}
