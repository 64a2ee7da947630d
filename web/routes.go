package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/asset"
	"fusebox/web/mcp"
	"fusebox/web/request"
)

// route is one address: who may use it, which scope a token needs for it, and whose
// thing it is about. The tests of access are made from this table, so an address that is
// not in it does not exist. Its rows name no fields: one that lacks any does not compile.
type route struct {
	method, path string
	access       access
	scope        agent.TokenScope
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
	fact         owned = "fact"
	rule         owned = "rule"
	account      owned = "user"
	delivery     owned = "delivery"
	policyRule   owned = "policy rule"
	budget       owned = "budget"
	resetLink    owned = "reset link"
	aPassage     owned = "passage"
	document     owned = "document"
)

// The scopes that tokens need. Where nobody has to be known, none is needed.
const (
	unscoped   agent.TokenScope = ""
	read                        = agent.TokenRead
	chat                        = agent.TokenChat
	approve                     = agent.TokenApprove
	administer                  = agent.TokenAdmin
	metrics                     = agent.TokenMetrics
)

const (
	get  = http.MethodGet
	post = http.MethodPost
)

var routes = []route{
	// Pages.
	{get, "/", signedIn, read, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Chat.New }},
	{get, "/c/:id", signedIn, read, conversation, func(h *handlers) echo.HandlerFunc { return h.page.Chat.Show }},
	{get, "/c/:id/files", signedIn, read, conversation, func(h *handlers) echo.HandlerFunc { return h.page.Files.Show }},
	{get, "/c/:id/setup", signedIn, read, conversation, func(h *handlers) echo.HandlerFunc { return h.page.Chat.ShowSetup }},
	{get, "/login", public, unscoped, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Account.Login }},
	{get, "/setup", public, unscoped, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Account.Setup }},
	{get, "/reset/:id", public, unscoped, resetLink, func(h *handlers) echo.HandlerFunc { return h.page.Account.ShowReset }},
	{get, "/prompts", signedIn, read, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Prompts.Show }},
	{get, "/approvals", signedIn, read, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Inbox.Show }},
	{get, "/approvals/:id", signedIn, read, approval, func(h *handlers) echo.HandlerFunc { return h.page.Approval.Open }},
	{get, "/alerts", signedIn, read, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Alerts.Show }},
	{get, "/runs/:id", signedIn, read, run, func(h *handlers) echo.HandlerFunc { return h.page.Runs.Show }},
	{get, "/documents", signedIn, read, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Documents.Show }},
	{get, "/documents/:id", signedIn, read, document, func(h *handlers) echo.HandlerFunc { return h.page.Documents.ShowOne }},
	{get, "/passages/:id", signedIn, read, aPassage, func(h *handlers) echo.HandlerFunc { return h.page.Documents.ShowPassage }},
	{get, "/settings", signedIn, read, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Settings.Show }},
	{get, "/settings/account", signedIn, read, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Settings.ShowAccount }},
	{get, "/settings/appearance", signedIn, read, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Settings.ShowAppearance }},
	{get, "/settings/notifications", signedIn, read, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Settings.ShowNotifications }},
	{get, "/settings/tokens", signedIn, read, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Settings.ShowTokens }},
	{get, "/settings/memory", signedIn, read, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Settings.ShowMemory }},
	{get, "/settings/usage", signedIn, read, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Settings.ShowUsage }},
	{get, "/admin/spend", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Spend.Show }},
	{get, "/admin/spend.csv", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Spend.CSV }},
	{get, "/admin/budgets", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Budgets.Show }},
	{get, "/admin/users", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Users.Show }},
	{get, "/admin/users/:id/remove", admins, administer, account, func(h *handlers) echo.HandlerFunc { return h.page.Users.ShowRemove }},
	{get, "/admin/models", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Models.Show }},
	{get, "/admin/models/price", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Prices.Show }},
	{get, request.PriceListPage, admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Prices.ShowImport }},
	{get, "/admin/guards", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Guards.Show }},
	{get, "/admin/guards/rules", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Guards.ShowRules }},
	{get, "/admin/guards/thresholds", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Guards.ShowThresholds }},
	{get, "/admin/guards/learning", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Guards.Learning }},
	{get, "/admin/notifications", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Notifications.Show }},
	{get, "/admin/audit", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Audit.Show }},
	{get, "/admin/audit.csv", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Audit.CSV }},
	{get, "/admin/audit/mirror", reviewers, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Audit.Reviewers }},
	{get, "/admin/storage", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Storage.Show }},
	{get, "/admin/tools", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Tools.Show }},
	{get, "/runs/:id/text", signedIn, read, run, func(h *handlers) echo.HandlerFunc { return h.page.Runs.Text }},
	{get, "/runs/:id/takeover", signedIn, read, run, func(h *handlers) echo.HandlerFunc { return h.page.Runs.ShowTakeover }},
	{get, "/runs/:id/output", signedIn, read, run, func(h *handlers) echo.HandlerFunc { return h.page.Runs.Output }},
	{get, "/runs/:id/raw", admins, administer, run, func(h *handlers) echo.HandlerFunc { return h.page.Runs.Raw }},

	// What the pages' forms do.
	{post, "/login", public, unscoped, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Account.SignIn }},
	{post, "/logout", signedIn, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Account.SignOut }},
	{post, "/setup", public, unscoped, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Account.CreateFirst }},
	{post, "/reset/:id", public, unscoped, resetLink, func(h *handlers) echo.HandlerFunc { return h.page.Account.Reset }},
	{post, "/", signedIn, chat, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Chat.Create }},
	{post, "/prompts", signedIn, chat, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Prompts.Fill }},
	{post, "/c/:id/messages", signedIn, chat, conversation, func(h *handlers) echo.HandlerFunc { return h.page.Chat.Send }},
	{post, "/c/:id/settings", signedIn, chat, conversation, func(h *handlers) echo.HandlerFunc { return h.page.Chat.Update }},
	{post, "/c/:id/files", signedIn, chat, conversation, func(h *handlers) echo.HandlerFunc { return h.page.Files.Upload }},
	{post, "/c/:id/setup", signedIn, chat, conversation, func(h *handlers) echo.HandlerFunc { return h.page.Chat.SaveSetup }},
	{post, "/c/:id/delete", signedIn, chat, conversation, func(h *handlers) echo.HandlerFunc { return h.page.Chat.Delete }},
	{post, "/c/:id/messages/:message/pin", signedIn, chat, conversation, func(h *handlers) echo.HandlerFunc { return h.page.Chat.Pin }},
	{post, "/runs/:id/cancel", signedIn, chat, run, func(h *handlers) echo.HandlerFunc { return h.page.Runs.CancelCall }},
	{post, "/runs/:id/abort", signedIn, chat, run, func(h *handlers) echo.HandlerFunc { return h.page.Runs.Abort }},
	{post, "/runs/:id/takeover", signedIn, chat, run, func(h *handlers) echo.HandlerFunc { return h.page.Runs.TakeOver }},
	{post, "/runs/:id/again", signedIn, chat, ownRun, func(h *handlers) echo.HandlerFunc { return h.page.Runs.Retry }},
	{post, "/approvals/bulk", signedIn, approve, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Inbox.DecideMany }},
	{post, "/approvals/:id/decision", signedIn, approve, approval, func(h *handlers) echo.HandlerFunc { return h.page.Approval.Decide }},
	{post, "/approvals/:id/look", signedIn, approve, approval, func(h *handlers) echo.HandlerFunc { return h.page.Approval.Look }},
	{post, "/approvals/:id/undo", signedIn, approve, approval, func(h *handlers) echo.HandlerFunc { return h.page.Approval.Undo }},
	{post, "/approvals/:id/again", signedIn, approve, ownCard, func(h *handlers) echo.HandlerFunc { return h.page.Approval.Reopen }},
	{post, "/approvals/:id/revoke", signedIn, approve, ownCard, func(h *handlers) echo.HandlerFunc { return h.page.Approval.Revoke }},
	{post, "/approvals/:id/not-a-loop", signedIn, approve, approval, func(h *handlers) echo.HandlerFunc { return h.page.Approval.NotLoop }},
	{post, "/documents", signedIn, chat, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Documents.Add }},
	{post, "/documents/notes", signedIn, chat, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Documents.AddNote }},
	{post, "/documents/:id/text", signedIn, chat, document, func(h *handlers) echo.HandlerFunc { return h.page.Documents.EditNote }},
	{post, "/documents/samples", signedIn, chat, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Documents.AddSamples }},
	{post, "/documents/:id/file", signedIn, chat, document, func(h *handlers) echo.HandlerFunc { return h.page.Documents.Replace }},
	{post, "/documents/:id/name", signedIn, chat, document, func(h *handlers) echo.HandlerFunc { return h.page.Documents.Rename }},
	{post, "/documents/:id/read", signedIn, chat, document, func(h *handlers) echo.HandlerFunc { return h.page.Documents.ReadAgain }},
	{post, "/documents/:id/delete", signedIn, chat, document, func(h *handlers) echo.HandlerFunc { return h.page.Documents.Delete }},
	{post, "/settings/name", signedIn, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Settings.SetName }},
	{post, "/settings/password", signedIn, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Settings.ChangePassword }},
	{post, "/settings/sign-out", signedIn, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Settings.SignOutEverywhere }},
	{post, "/settings/appearance", signedIn, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Settings.SetAppearance }},
	{post, "/settings/notifications", signedIn, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Settings.SetNotify }},
	{post, "/settings/language", signedIn, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Settings.SetLanguage }},
	{post, "/settings/tokens", signedIn, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Settings.CreateToken }},
	{post, "/settings/tokens/:id/delete", signedIn, administer, token, func(h *handlers) echo.HandlerFunc { return h.page.Settings.DeleteToken }},
	{post, "/settings/memory", signedIn, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Settings.SetMemory }},
	{post, "/settings/memory/delete", signedIn, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Settings.DeleteFacts }},
	{post, "/settings/memory/facts", signedIn, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Settings.AddFact }},
	{post, "/settings/memory/facts/:id", signedIn, administer, fact, func(h *handlers) echo.HandlerFunc { return h.page.Settings.ChangeFact }},
	{post, "/settings/memory/facts/:id/delete", signedIn, administer, fact, func(h *handlers) echo.HandlerFunc { return h.page.Settings.DeleteFact }},
	{post, "/admin/budgets", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Budgets.Create }},
	{post, "/admin/budgets/:id", admins, administer, budget, func(h *handlers) echo.HandlerFunc { return h.page.Budgets.Change }},
	{post, "/admin/budgets/:id/end", admins, administer, budget, func(h *handlers) echo.HandlerFunc { return h.page.Budgets.End }},
	{post, "/admin/chats", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Budgets.SetChatRules }},
	{post, "/admin/spend/money", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Spend.HideMoney }},
	{post, "/admin/users", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Users.Create }},
	{post, "/admin/users/:id", admins, administer, account, func(h *handlers) echo.HandlerFunc { return h.page.Users.Update }},
	{post, "/admin/users/:id/remove", admins, administer, account, func(h *handlers) echo.HandlerFunc { return h.page.Users.Remove }},
	{post, "/admin/users/:id/sign-out", admins, administer, account, func(h *handlers) echo.HandlerFunc { return h.page.Users.SignOut }},
	{post, "/admin/users/:id/reset", admins, administer, account, func(h *handlers) echo.HandlerFunc { return h.page.Users.MakeReset }},
	{post, "/admin/models/default", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Models.ChooseDefault }},
	{post, "/admin/models/test", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Models.Test }},
	{post, "/admin/models/endpoints", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Models.Connect }},
	{post, "/admin/models/endpoints/:name", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Models.ChangeConnection }},
	{post, "/admin/models/endpoints/:name/test", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Models.TestConnection }},
	{post, "/admin/models/endpoints/:name/remove", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Models.RemoveConnection }},
	{post, "/admin/models/price", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Prices.Set }},
	{post, "/admin/models/price/remove", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Prices.Remove }},
	{post, request.PriceListPage, admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Prices.Upload }},
	{post, "/admin/models/import/confirm", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Prices.ConfirmImport }},
	{post, "/admin/notifications/test", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Notifications.Test }},
	{post, "/admin/notifications/:id/resend", admins, administer, delivery, func(h *handlers) echo.HandlerFunc { return h.page.Notifications.Resend }},
	{post, "/admin/guards/thresholds", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Guards.SetNumbers }},
	{post, "/admin/guards/detectors/:name", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Guards.Switch }},
	{post, "/admin/guards/rules", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Guards.CreateRule }},
	{post, "/admin/guards/rules/:id/accept", admins, administer, rule, func(h *handlers) echo.HandlerFunc { return h.page.Guards.AcceptRule }},
	{post, "/admin/guards/rules/:id/delete", admins, administer, rule, func(h *handlers) echo.HandlerFunc { return h.page.Guards.DeleteRule }},
	{post, "/admin/tools/servers/:name/accept", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Tools.AcceptServer }},
	{post, "/admin/tools/openapi/:name/accept", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Tools.AcceptOpenAPI }},
	{post, "/admin/tools/openapi/:name/document", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Tools.UploadOpenAPI }},
	{post, "/admin/tools/rules", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.page.Tools.CreateRule }},
	{post, "/admin/tools/rules/:id", admins, administer, policyRule, func(h *handlers) echo.HandlerFunc { return h.page.Tools.ChangeRule }},
	{post, "/admin/tools/rules/:id/narrow", admins, administer, policyRule, func(h *handlers) echo.HandlerFunc { return h.page.Tools.NarrowRule }},
	{post, "/admin/tools/rules/:id/revoke", admins, administer, policyRule, func(h *handlers) echo.HandlerFunc { return h.page.Tools.RevokeRule }},

	// Programs.
	{get, "/api/openapi.json", public, unscoped, nothing, func(h *handlers) echo.HandlerFunc { return h.server.openapiGet }},
	{post, "/api/v1/conversations", signedIn, chat, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Conversations.Create }},
	{get, "/api/v1/conversations", signedIn, read, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Conversations.List }},
	{get, "/api/v1/conversations/:id", signedIn, read, conversation, func(h *handlers) echo.HandlerFunc { return h.api.Conversations.Get }},
	{http.MethodPatch, "/api/v1/conversations/:id", signedIn, chat, conversation, func(h *handlers) echo.HandlerFunc { return h.api.Conversations.Update }},
	{http.MethodDelete, "/api/v1/conversations/:id", signedIn, chat, conversation, func(h *handlers) echo.HandlerFunc { return h.api.Conversations.Delete }},
	{get, "/api/v1/conversations/:id/messages", signedIn, read, conversation, func(h *handlers) echo.HandlerFunc { return h.api.Conversations.Messages }},
	{post, "/api/v1/conversations/:id/messages", signedIn, chat, conversation, func(h *handlers) echo.HandlerFunc { return h.api.Conversations.Send }},
	{http.MethodPut, "/api/v1/conversations/:id/messages/:message/pin", signedIn, chat, conversation, func(h *handlers) echo.HandlerFunc { return h.api.Conversations.Pin }},
	{get, "/api/v1/conversations/:id/events", signedIn, read, conversation, func(h *handlers) echo.HandlerFunc { return h.api.Conversations.Events }},
	{get, "/api/v1/conversations/:id/files", signedIn, read, conversation, func(h *handlers) echo.HandlerFunc { return h.api.Files.List }},
	{post, "/api/v1/conversations/:id/files", signedIn, chat, conversation, func(h *handlers) echo.HandlerFunc { return h.api.Files.Upload }},
	{get, "/api/v1/conversations/:id/files/*", signedIn, read, conversation, func(h *handlers) echo.HandlerFunc { return h.api.Files.Get }},
	{get, "/api/v1/conversations/:id/files.zip", signedIn, read, conversation, func(h *handlers) echo.HandlerFunc { return h.api.Files.Zip }},
	{get, "/api/v1/runs/:id", signedIn, read, run, func(h *handlers) echo.HandlerFunc { return h.api.Runs.Get }},
	{post, "/api/v1/runs/:id/calls/:call/cancel", signedIn, chat, run, func(h *handlers) echo.HandlerFunc { return h.api.Runs.CancelCall }},
	{post, "/api/v1/runs/:id/abort", signedIn, chat, run, func(h *handlers) echo.HandlerFunc { return h.api.Runs.Abort }},
	{post, "/api/v1/runs/:id/takeover", signedIn, chat, run, func(h *handlers) echo.HandlerFunc { return h.api.Runs.TakeOver }},
	{post, "/api/v1/runs/:id/again", signedIn, chat, ownRun, func(h *handlers) echo.HandlerFunc { return h.api.Runs.Retry }},
	{get, "/api/v1/runs/:id/output", signedIn, read, run, func(h *handlers) echo.HandlerFunc { return h.api.Runs.Output }},
	{get, "/api/v1/runs/:id/images/:name", signedIn, read, run, func(h *handlers) echo.HandlerFunc { return h.api.Runs.Image }},
	{get, "/api/v1/runs/:id/verdicts", signedIn, read, run, func(h *handlers) echo.HandlerFunc { return h.api.Runs.Verdicts }},
	{get, "/api/v1/approvals", signedIn, read, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Approvals.List }},
	{post, "/api/v1/approvals/bulk", signedIn, approve, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Approvals.DecideMany }},
	{get, "/api/v1/approvals/:id", signedIn, read, approval, func(h *handlers) echo.HandlerFunc { return h.api.Approvals.Get }},
	{post, "/api/v1/approvals/:id/decision", signedIn, approve, approval, func(h *handlers) echo.HandlerFunc { return h.api.Approvals.Decide }},
	{post, "/api/v1/approvals/:id/undo", signedIn, approve, approval, func(h *handlers) echo.HandlerFunc { return h.api.Approvals.Undo }},
	{post, "/api/v1/approvals/:id/again", signedIn, approve, ownCard, func(h *handlers) echo.HandlerFunc { return h.api.Approvals.Reopen }},
	{post, "/api/v1/approvals/:id/revoke", signedIn, approve, ownCard, func(h *handlers) echo.HandlerFunc { return h.api.Approvals.Revoke }},
	{post, "/api/v1/approvals/:id/not-a-loop", signedIn, approve, approval, func(h *handlers) echo.HandlerFunc { return h.api.Approvals.NotLoop }},
	{get, "/api/v1/alerts", signedIn, read, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Alerts.List }},
	{get, "/api/v1/spend", signedIn, read, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Spend.List }},
	{get, "/api/v1/mcp/servers", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Tools.ListServers }},
	{post, "/api/v1/mcp/servers/:name/accept", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Tools.AcceptServer }},
	{get, "/api/v1/openapi/sources", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Tools.ListOpenAPI }},
	{post, "/api/v1/openapi/sources/:name/accept", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Tools.AcceptOpenAPI }},
	{post, "/api/v1/openapi/sources/:name/document", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Tools.UploadOpenAPI }},
	{get, "/api/v1/mcp/prompts", signedIn, read, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Tools.ListPrompts }},
	{post, "/api/v1/mcp/prompts/get", signedIn, chat, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Tools.GetPrompt }},
	{get, "/api/v1/tools", signedIn, read, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Tools.List }},
	{get, "/api/v1/models", signedIn, read, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Models.List }},
	{post, "/api/v1/models/test", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Models.Test }},
	{http.MethodPut, "/api/v1/models/default", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Models.ChooseDefault }},
	{get, "/api/v1/endpoints", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Models.ListEndpoints }},
	{post, "/api/v1/endpoints", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Models.Connect }},
	{post, "/api/v1/endpoints/test", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Models.TestEndpoint }},
	{http.MethodPatch, "/api/v1/endpoints/:name", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Models.ChangeEndpoint }},
	{http.MethodDelete, "/api/v1/endpoints/:name", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Models.RemoveEndpoint }},
	{get, "/api/v1/prices", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Prices.List }},
	{http.MethodPut, "/api/v1/prices", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Prices.Set }},
	{http.MethodDelete, "/api/v1/prices", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Prices.Remove }},
	{post, request.PriceListCall, admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Prices.Import }},
	{get, "/api/v1/memories", signedIn, read, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Memories.List }},
	{post, "/api/v1/memories", signedIn, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Memories.Create }},
	{http.MethodPatch, "/api/v1/memories", signedIn, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Memories.Switch }},
	{http.MethodDelete, "/api/v1/memories", signedIn, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Memories.DeleteAll }},
	{http.MethodPatch, "/api/v1/memories/:id", signedIn, administer, fact, func(h *handlers) echo.HandlerFunc { return h.api.Memories.Change }},
	{http.MethodDelete, "/api/v1/memories/:id", signedIn, administer, fact, func(h *handlers) echo.HandlerFunc { return h.api.Memories.Delete }},
	{get, "/api/v1/documents", signedIn, read, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Documents.List }},
	{post, "/api/v1/documents", signedIn, chat, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Documents.Add }},
	{get, "/api/v1/documents/:id", signedIn, read, document, func(h *handlers) echo.HandlerFunc { return h.api.Documents.Get }},
	{http.MethodPatch, "/api/v1/documents/:id", signedIn, chat, document, func(h *handlers) echo.HandlerFunc { return h.api.Documents.Rename }},
	{http.MethodDelete, "/api/v1/documents/:id", signedIn, chat, document, func(h *handlers) echo.HandlerFunc { return h.api.Documents.Delete }},
	{get, "/api/v1/documents/:id/text", signedIn, read, document, func(h *handlers) echo.HandlerFunc { return h.api.Documents.Text }},
	{get, "/api/v1/documents/:id/file", signedIn, read, document, func(h *handlers) echo.HandlerFunc { return h.api.Documents.File }},
	{http.MethodPut, "/api/v1/documents/:id/file", signedIn, chat, document, func(h *handlers) echo.HandlerFunc { return h.api.Documents.Replace }},
	{post, "/api/v1/documents/:id/read", signedIn, chat, document, func(h *handlers) echo.HandlerFunc { return h.api.Documents.ReadAgain }},
	{get, "/api/v1/search", signedIn, read, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Documents.Search }},
	{get, "/api/v1/tokens", signedIn, read, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Tokens.List }},
	{post, "/api/v1/tokens", signedIn, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Tokens.Create }},
	{http.MethodDelete, "/api/v1/tokens/:id", signedIn, administer, token, func(h *handlers) echo.HandlerFunc { return h.api.Tokens.Delete }},
	{get, "/api/v1/users", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Users.List }},
	{http.MethodPatch, "/api/v1/users/:id", admins, administer, account, func(h *handlers) echo.HandlerFunc { return h.api.Users.Update }},
	{http.MethodDelete, "/api/v1/users/:id", admins, administer, account, func(h *handlers) echo.HandlerFunc { return h.api.Users.Remove }},
	{post, "/api/v1/users/:id/reset", admins, administer, account, func(h *handlers) echo.HandlerFunc { return h.api.Users.MakeReset }},
	{get, "/api/v1/budgets", signedIn, read, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Budgets.List }},
	{post, "/api/v1/budgets", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Budgets.Create }},
	{http.MethodPatch, "/api/v1/budgets/:id", admins, administer, budget, func(h *handlers) echo.HandlerFunc { return h.api.Budgets.Change }},
	{http.MethodDelete, "/api/v1/budgets/:id", admins, administer, budget, func(h *handlers) echo.HandlerFunc { return h.api.Budgets.End }},
	{get, "/api/v1/chat-rules", signedIn, read, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Conversations.Rules }},
	{http.MethodPut, "/api/v1/chat-rules", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Conversations.SetRules }},
	{get, "/api/v1/audit", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Audit.List }},
	{get, "/api/v1/ledger", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Audit.Ledger }},
	{get, "/api/v1/notifications", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Notifications.List }},
	{post, "/api/v1/notifications/test", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Notifications.Test }},
	{post, "/api/v1/notifications/:id/resend", admins, administer, delivery, func(h *handlers) echo.HandlerFunc { return h.api.Notifications.Resend }},
	{get, "/api/v1/guards", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Guards.List }},
	{get, "/api/v1/guards/learning", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Guards.Learning }},
	{http.MethodPut, "/api/v1/guards/numbers/:key", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Guards.SetNumber }},
	{http.MethodPut, "/api/v1/guards/detectors/:name", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Guards.Switch }},
	{post, "/api/v1/guards/rules", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Guards.CreateRule }},
	{post, "/api/v1/guards/rules/:id/accept", admins, administer, rule, func(h *handlers) echo.HandlerFunc { return h.api.Guards.AcceptRule }},
	{http.MethodDelete, "/api/v1/guards/rules/:id", admins, administer, rule, func(h *handlers) echo.HandlerFunc { return h.api.Guards.DeleteRule }},
	{post, "/api/v1/guards/backtest", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Guards.Backtest }},
	{get, "/api/v1/policy/rules", reviewers, read, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Policy.List }},
	{post, "/api/v1/policy/rules", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Policy.Create }},
	{http.MethodPut, "/api/v1/policy/rules/:id", admins, administer, policyRule, func(h *handlers) echo.HandlerFunc { return h.api.Policy.Change }},
	{http.MethodDelete, "/api/v1/policy/rules/:id", reviewers, approve, policyRule, func(h *handlers) echo.HandlerFunc { return h.api.Policy.Revoke }},
	{post, "/api/v1/policy/test", admins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.api.Policy.Test }},

	// Agents. Which scope a tool needs is looked at where it is called.
	{post, mcp.Path, programs, read, nothing, func(h *handlers) echo.HandlerFunc { return h.mcp.Serve }},
	{get, mcp.Path, programs, read, nothing, func(h *handlers) echo.HandlerFunc { return h.mcp.Serve }},
	{http.MethodDelete, mcp.Path, programs, read, nothing, func(h *handlers) echo.HandlerFunc { return h.mcp.Serve }},

	// Sockets.
	{get, "/ws/conversations/:id", signedIn, read, conversation, func(h *handlers) echo.HandlerFunc { return h.live.Conversation.Serve }},
	{get, "/ws/inbox", reviewers, read, nothing, func(h *handlers) echo.HandlerFunc { return h.live.Inbox.Serve }},

	// Health, measuring and files.
	{get, "/healthz", public, unscoped, nothing, func(h *handlers) echo.HandlerFunc { return h.server.healthGet }},
	{get, "/readyz", public, unscoped, nothing, func(h *handlers) echo.HandlerFunc { return h.server.readyGet }},
	{get, "/metrics", scrapers, metrics, nothing, func(h *handlers) echo.HandlerFunc { return h.server.metricsGet }},
	{get, "/styleguide", localAdmins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.server.site.Styleguide }},
	{get, "/debug/pprof/", localAdmins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.server.pprofGet }},
	{get, "/debug/pprof/:profile", localAdmins, administer, nothing, func(h *handlers) echo.HandlerFunc { return h.server.pprofGet }},
	{get, "/static/*", public, unscoped, nothing, func(h *handlers) echo.HandlerFunc { return asset.Get }},
}
