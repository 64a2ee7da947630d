package web

import (
	"context"

	"fusebox/agent/service"
	"fusebox/web/api"
	"fusebox/web/live"
	"fusebox/web/mcp"
	"fusebox/web/page"
	"fusebox/web/page/money"
	"fusebox/web/request"
	"fusebox/web/session"
	"fusebox/web/site"
	"fusebox/web/throttle"
)

// handlers are what is behind the routes.
type handlers struct {
	server *Server
	api    apiHandlers
	page   pageHandlers
	mcp    *mcp.Server
	// conversation and inbox are what sockets read.
	conversation *live.Conversation
	inbox        *live.Inbox
}

type apiHandlers struct {
	Agents        *api.Agents
	Workflows     *api.Workflows
	Alerts        *api.Alerts
	Approvals     *api.Approvals
	Audit         *api.Audit
	Budgets       *api.Budgets
	Conversations *api.Conversations
	Versions      *api.Versions
	Documents     *api.Documents
	Files         *api.Files
	Guards        *api.Guards
	Memories      *api.Memories
	Models        *api.Models
	Notifications *api.Notifications
	Policy        *api.Policy
	Prices        *api.Prices
	Runs          *api.Runs
	Spend         *api.Spend
	Tokens        *api.Tokens
	Tools         *api.Tools
	Users         *api.Users
}

type pageHandlers struct {
	Account       *page.Account
	Agents        *page.Agents
	Workflows     *page.Workflows
	Alerts        *page.Alerts
	Approval      *page.Approval
	Audit         *page.Audit
	Budgets       *money.Budgets
	Chat          *page.Chat
	Documents     *page.Documents
	Files         *page.Files
	Guards        *page.Guards
	Inbox         *page.Inbox
	Models        *page.Models
	Prompts       *page.Prompts
	Notifications *page.Notifications
	Prices        *money.Prices
	Runs          *page.Runs
	Settings      *page.Settings
	Spend         *money.Spend
	Storage       *page.Storage
	Tools         *page.Tools
	Usage         *money.Usage
	Users         *page.Users
}

// handlers wires what is behind the routes.
func (s *Server) handlers(closing context.Context) *handlers {
	o := s.Options
	readers := live.NewStreams(closing, o.Clock, o.Logger, s.holder)
	s.sessions = session.New(session.Options{
		Store: o.Sessions, Readers: readers, Clock: o.Clock, Logger: o.Logger, Path: s.address.CookiePath(), Secure: o.Secure, Secret: o.Secret,
	})
	s.visibility = &request.Visibility{Store: o.Store, Closing: closing, Logger: o.Logger}
	s.sockets = &live.Sockets{Logger: o.Logger, Streams: readers, Closing: closing, Address: s.address}
	commands := service.New(o.Options)
	commands.Users.OnChange, commands.Conversations.OnDelete = readers.EndUser, readers.EndConversation
	log := &live.EventLog{Hub: o.Hub, Store: o.Store, Closing: closing, Clock: o.Clock}
	rings := &live.Bell{Store: o.Store, Visibility: s.visibility}
	approvals := &live.Cards{Store: o.Store, Tools: o.Tools, Visibility: s.visibility, Clock: o.Clock, Approvals: o.Approvals, Zone: o.Zone}
	looks := live.NewPresence(closing, o.Store, o.Clock, o.Logger)
	shown := &live.Presenters{Store: o.Store, Approvals: o.Approvals, Visibility: s.visibility, Cards: approvals, Zone: o.Zone, Guards: o.Guards}
	slow := throttle.New(o.Store, o.Clock, o.NewID, o.Logger)
	sums := &money.Bills{Store: o.Store, Clock: o.Clock}
	records := &page.RunRecords{Store: o.Store, Visibility: s.visibility}
	s.site = &site.Site{Store: o.Store, Service: commands, Visibility: s.visibility, Zone: o.Zone, Sessions: s.sessions, Bell: rings, Logger: o.Logger, Clock: o.Clock, Address: s.address, DatabaseFault: o.DatabaseFault}
	return &handlers{
		server:       s,
		conversation: &live.Conversation{Store: o.Store, Sockets: s.sockets, Visibility: s.visibility, Presenters: shown, Log: log},
		inbox:        &live.Inbox{Store: o.Store, Sockets: s.sockets, Visibility: s.visibility, Hub: o.Hub, Cards: approvals, Bell: rings, Presence: looks},
		api: apiHandlers{
			Agents:        &api.Agents{Store: o.Store, Service: commands},
			Workflows:     &api.Workflows{Store: o.Store, Service: commands},
			Alerts:        &api.Alerts{Bell: rings},
			Approvals:     &api.Approvals{Store: o.Store, Clock: o.Clock, Visibility: s.visibility, Service: commands},
			Audit:         &api.Audit{Store: o.Store},
			Budgets:       &api.Budgets{Store: o.Store, Service: commands, Visibility: s.visibility},
			Conversations: &api.Conversations{Store: o.Store, Service: commands, Streams: readers, Visibility: s.visibility, Logger: o.Logger, Log: log},
			Versions:      &api.Versions{Messages: o.Messages, Tools: o.Tools},
			Documents:     &api.Documents{Store: o.Store, Service: commands, Visibility: s.visibility},
			Files:         &api.Files{Store: o.Store, Service: commands, Workspaces: o.Files},
			Guards:        &api.Guards{Store: o.Store, Clock: o.Clock, Service: commands},
			Memories:      &api.Memories{Store: o.Store, Service: commands},
			Models:        &api.Models{Visibility: s.visibility, Service: commands, Prices: o.Prices, Clock: o.Clock, Models: o.Models},
			Notifications: &api.Notifications{Store: o.Store},
			Policy:        &api.Policy{Store: o.Store, Service: commands, Clock: o.Clock, PolicyRules: o.PolicyRules},
			Prices:        &api.Prices{Store: o.Store, Prices: o.Prices, Service: commands},
			Runs:          &api.Runs{Store: o.Store, Commands: o.Runs, Messages: o.Messages, Visibility: s.visibility, Outputs: o.Files},
			Spend:         &api.Spend{Store: o.Store, Clock: o.Clock, Visibility: s.visibility},
			Tokens:        &api.Tokens{Store: o.Store, Service: commands},
			Tools:         &api.Tools{Tools: o.Tools, Servers: o.ToolServers, OpenAPI: o.OpenAPI},
			Users:         &api.Users{Store: o.Store, Service: commands, PublicURL: o.Notify.PublicURL},
		},
		mcp: mcp.New(closing, mcp.Options{
			Store: o.Store, Messages: o.Messages, Runs: o.Runs, Conversations: commands.Conversations, Log: log, Streams: readers, Visibility: s.visibility,
			Address: s.address, PublicURL: o.Notify.PublicURL, Logger: o.Logger, Version: o.Version,
		}),
		page: pageHandlers{
			Account:       &page.Account{NewID: o.NewID, Throttle: slow, Site: s.site, SetupCode: o.SetupCode},
			Agents:        &page.Agents{Tools: o.Tools, Site: s.site},
			Workflows:     &page.Workflows{Site: s.site},
			Alerts:        &page.Alerts{Site: s.site},
			Approval:      &page.Approval{Cards: approvals, Presence: looks, Records: records, Site: s.site},
			Audit:         &page.Audit{Site: s.site},
			Budgets:       &money.Budgets{Site: s.site, Prices: o.Prices},
			Chat:          &page.Chat{Tools: o.Tools, Guards: o.Guards, Site: s.site, NewID: o.NewID, Presenters: shown, Prompts: o.ToolServers},
			Documents:     &page.Documents{Site: s.site},
			Prompts:       &page.Prompts{Prompts: o.ToolServers, Site: s.site},
			Files:         &page.Files{Workspaces: o.Files, Site: s.site, Limits: o.FileLimits},
			Guards:        &page.Guards{Guards: o.Guards, Tools: o.Tools, Site: s.site, Detectors: o.Detectors},
			Inbox:         &page.Inbox{Tools: o.Tools, Presence: looks, Cards: approvals, Site: s.site},
			Models:        &page.Models{Models: o.Models, Prices: o.Prices, Site: s.site, Samples: o.Samples},
			Notifications: &page.Notifications{Notify: o.Notify, Site: s.site},
			Prices:        &money.Prices{Prices: o.Prices, Site: s.site, NewID: o.NewID},
			Runs:          &page.Runs{RawLog: o.RawLog, Site: s.site, Records: records, Tools: o.Tools, Outputs: o.Files},
			Settings:      &page.Settings{Site: s.site, Notify: o.Notify, Throttle: slow, Streams: readers, Secure: o.Secure},
			Spend:         &money.Spend{Streams: readers, Bills: sums, Site: s.site},
			Storage:       &page.Storage{Site: s.site},
			Tools:         &page.Tools{PolicyRules: o.PolicyRules, Walls: o.Walls, Servers: o.ToolServers, OpenAPI: o.OpenAPI, LeftOut: o.LeftOutTools, Tools: o.Tools, Site: s.site, Usual: o.Usual},
			Usage:         &money.Usage{Site: s.site, Bills: sums},
			Users:         &page.Users{Site: s.site, PublicURL: o.Notify.PublicURL},
		},
	}
}
