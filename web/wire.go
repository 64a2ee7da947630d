package web

import (
	"context"

	"fusebox/agent"
	"fusebox/agent/service"
)

// handlers are what stands behind the routes.
type handlers struct {
	server *Server
	live   liveHandlers
	api    apiHandlers
	page   pageHandlers
}

type liveHandlers struct {
	Conversation *liveConversation
	Inbox        *liveInbox
}

type apiHandlers struct {
	Alerts        *apiAlerts
	Approvals     *apiApprovals
	Audit         *apiAudit
	Budgets       *apiBudgets
	Conversations *apiConversations
	Guards        *apiGuards
	Models        *apiModels
	Notifications *apiNotifications
	Policy        *apiPolicy
	Prices        *apiPrices
	Runs          *apiRuns
	Spend         *apiSpend
	Tools         *apiTools
	Users         *apiUsers
}

type pageHandlers struct {
	Account       *pageAccount
	Alerts        *pageAlerts_
	Approval      *pageApproval_
	Audit         *pageAudit_
	Budgets       *pageBudgets_
	Chat          *pageChat
	Guards        *pageGuards_
	Inbox         *pageInbox
	Models        *pageModels_
	Notifications *pageNotifications_
	Prices        *pagePrices
	Runs          *pageRuns
	Settings      *pageSettings_
	Spend         *pageSpend_
	Tools         *pageTools_
	Users         *pageUsers_
}

// handlers wires what stands behind the routes.
func (s *Server) handlers(closing context.Context) *handlers {
	o := s.Options
	readers := newStreams(o.Clock, o.Logger, closing, s.holder)
	s.sessions = newSessions(o.Sessions, o.Secure, readers, o.Clock, o.Logger)
	s.visibility = &visibility{Store: o.Store, Closing: closing, Logger: o.Logger}
	s.sockets = &sockets{Logger: o.Logger, Streams: readers, Closing: closing}
	commands := service.New(service.Options{
		Store: o.Store, Desk: o.Desk, Files: o.Files, Models: o.Models, Prices: o.Prices, Detectors: o.Detectors, Replay: o.Backtest, Log: o.Logger,
		Tools: o.Tools, Clock: o.Clock, NewID: o.NewID, DefaultModel: o.DefaultModel, Guards: o.Guards, Policy: policyOf(o.Desk),
	})
	commands.Users.OnChange = readers.endUser
	log := &eventLog{Hub: o.Hub, Store: o.Store, Closing: closing}
	rings := &bell{Store: o.Store, Visibility: s.visibility}
	approvals := &cards{Store: o.Store, Tools: o.Tools, Visibility: s.visibility, Clock: o.Clock, Desk: o.Desk, Zone: o.Zone}
	looks := newPresence(o.Store, o.Clock, o.Logger, closing)
	shown := &presenters{Desk: o.Desk, Visibility: s.visibility, Cards: approvals, Zone: o.Zone, Guards: o.Guards}
	slow := newThrottling(o.Store, o.Clock, o.NewID, o.Logger)
	sums := &bills{Store: o.Store, Clock: o.Clock}
	records := &runRecords{Store: o.Store, Visibility: s.visibility}
	s.site = &site{Store: o.Store, Sessions: s.sessions, Bell: rings, Logger: o.Logger, Clock: o.Clock}
	return &handlers{
		server: s,
		live: liveHandlers{
			Conversation: &liveConversation{Store: o.Store, Sockets: s.sockets, Visibility: s.visibility, Presenters: shown, Log: log},
			Inbox:        &liveInbox{Store: o.Store, Sockets: s.sockets, Visibility: s.visibility, Hub: o.Hub, Cards: approvals, Bell: rings, Presence: looks},
		},
		api: apiHandlers{
			Alerts:        &apiAlerts{Bell: rings},
			Approvals:     &apiApprovals{Store: o.Store, Desk: o.Desk, Clock: o.Clock, Visibility: s.visibility, Service: commands},
			Audit:         &apiAudit{Store: o.Store},
			Budgets:       &apiBudgets{Store: o.Store, Service: commands, Visibility: s.visibility},
			Conversations: &apiConversations{Store: o.Store, Service: commands, Streams: readers, Visibility: s.visibility, Logger: o.Logger, Desk: o.Desk, Log: log},
			Guards:        &apiGuards{Store: o.Store, Clock: o.Clock, Service: commands},
			Models:        &apiModels{Visibility: s.visibility, Service: commands, DefaultModel: o.DefaultModel, Prices: o.Prices, Clock: o.Clock, Models: o.Models},
			Notifications: &apiNotifications{Store: o.Store},
			Policy:        &apiPolicy{Store: o.Store, Service: commands, Clock: o.Clock, PolicyRules: o.PolicyRules},
			Prices:        &apiPrices{Store: o.Store, Prices: o.Prices, Service: commands},
			Runs:          &apiRuns{Store: o.Store, Desk: o.Desk, Visibility: s.visibility},
			Spend:         &apiSpend{Store: o.Store, Clock: o.Clock, Visibility: s.visibility},
			Tools:         &apiTools{Tools: o.Tools},
			Users:         &apiUsers{Store: o.Store, Service: commands},
		},
		page: pageHandlers{
			Account:       &pageAccount{Store: o.Store, NewID: o.NewID, Clock: o.Clock, Throttle: slow, Service: commands, Sessions: s.sessions, site: s.site, SetupCode: o.SetupCode},
			Alerts:        &pageAlerts_{Store: o.Store, Bell: rings, site: s.site},
			Approval:      &pageApproval_{Store: o.Store, Desk: o.Desk, Sessions: s.sessions, Visibility: s.visibility, Cards: approvals, Presence: looks, Service: commands, Records: records, site: s.site},
			Audit:         &pageAudit_{Store: o.Store, site: s.site, Clock: o.Clock},
			Budgets:       &pageBudgets_{Store: o.Store, Service: commands, Sessions: s.sessions, Visibility: s.visibility, Zone: o.Zone, site: s.site, Desk: o.Desk, RunTokens: o.RunTokens, Prices: o.Prices, Clock: o.Clock},
			Chat:          &pageChat{Store: o.Store, Service: commands, Desk: o.Desk, Sessions: s.sessions, Guards: o.Guards, site: s.site, DefaultModel: o.DefaultModel, NewID: o.NewID, Presenters: shown},
			Guards:        &pageGuards_{Store: o.Store, Sessions: s.sessions, Guards: o.Guards, Service: commands, Clock: o.Clock, Tools: o.Tools, site: s.site, Detectors: o.Detectors},
			Inbox:         &pageInbox{Store: o.Store, Desk: o.Desk, Sessions: s.sessions, Tools: o.Tools, Clock: o.Clock, Presence: looks, Cards: approvals, site: s.site},
			Models:        &pageModels_{Service: commands, Models: o.Models, Prices: o.Prices, Clock: o.Clock, DefaultModel: o.DefaultModel, site: s.site},
			Notifications: &pageNotifications_{Store: o.Store, Sessions: s.sessions, Notify: o.Notify, site: s.site},
			Prices:        &pagePrices{Store: o.Store, Prices: o.Prices, Clock: o.Clock, site: s.site, Service: commands, Sessions: s.sessions, NewID: o.NewID},
			Runs:          &pageRuns{Store: o.Store, RawLog: o.RawLog, site: s.site, Records: records, Clock: o.Clock, Zone: o.Zone, Desk: o.Desk},
			Settings:      &pageSettings_{Store: o.Store, Visibility: s.visibility, Zone: o.Zone, Sessions: s.sessions, Clock: o.Clock, Bills: sums, site: s.site, Notify: o.Notify, Throttle: slow, Streams: readers, Secure: o.Secure, NewID: o.NewID},
			Spend:         &pageSpend_{Store: o.Store, Streams: readers, Sessions: s.sessions, Clock: o.Clock, Bills: sums, site: s.site, Visibility: s.visibility},
			Tools:         &pageTools_{Store: o.Store, PolicyRules: o.PolicyRules, Tools: o.Tools, site: s.site, Usual: o.Usual, Service: commands, Sessions: s.sessions, Clock: o.Clock},
			Users:         &pageUsers_{Store: o.Store, site: s.site, Service: commands, Sessions: s.sessions},
		},
	}
}

func policyOf(d *service.Desk) agent.Policy {
	if d == nil {
		return nil
	}
	return d.Policy
}
