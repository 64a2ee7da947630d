package service

import (
	"context"
	"log/slog"

	"fusebox/agent"
	"fusebox/agent/documents"
)

// Service is everything that people can command, by what it is about.
type Service struct {
	Approvals     *Approvals
	Messages      *Messages
	Runs          *Runs
	Conversations *Conversations
	Users         *Users
	Models        *Models
	Budgets       *Budgets
	Prices        *Prices
	Rules         *Rules
	Guards        *Guards
	Memory        *Memory
	Documents     *Documents
	Connections   *Connections
	Agents        *Agents
	Workflows     *Workflows
}

// Options are what the commands are made of.
type Options struct {
	Store Store
	// Approvals, Messages, and Runs are at work before the others: runs need them.
	Approvals *Approvals
	Messages  *Messages
	Runs      *Runs
	Tools     agent.Toolbox
	Clock     agent.Clock
	NewID     agent.NewID
	// DefaultModel is the configured model of conversations that name none, "" where
	// an admin chooses it; Guards are the breakers' settings of the process.
	DefaultModel string
	Guards       agent.GuardSettings
	// Files are what the tools of conversations write.
	Files interface {
		Files
		Workspaces
		Outputs
	}
	// Shelf has the files of documents, Queue those that wait to be read.
	Shelf *documents.Shelf
	Queue *documents.Queue
	// Imports is told of imports that wait.
	Imports Waker
	// Downloads fetch what people name by its address.
	Downloads Downloader
	// Finder finds passages of documents.
	Finder Finder
	// Models are offered to people.
	Models Endpoints
	// Outlet is what models are reached through, Sealer keeps the keys of endpoints.
	Outlet Outlet
	Sealer Sealer
	// Prices is what models cost.
	Prices PriceBook
	// Detectors are all breakers there are. Backtest tries other settings on past runs, and Learn
	// finds changes that would have spared false alarms; nil where no runs are kept.
	Detectors []agent.Detector
	Backtest  func(context.Context, agent.BacktestQuery) (agent.BacktestResult, error)
	Learn     func(context.Context, agent.LearningQuery) (agent.LearningSearch, error)
	Logger    *slog.Logger
}

// New makes the commands.
func New(o Options) *Service {
	models := &Models{Source: o.Models, Configured: o.DefaultModel, Store: o.Store, Prices: o.Prices, Clock: o.Clock}
	if o.Outlet != nil {
		models.DemoModel = o.Outlet.DemoModel
	}
	o.Messages.Models = models
	leftovers := &Leftovers{Store: o.Store, Files: o.Files, Clock: o.Clock, Log: o.Logger}
	conversations := &Conversations{Store: o.Store, Models: models, Guards: o.Guards, Tools: o.Tools, Leftovers: leftovers, Clock: o.Clock, NewID: o.NewID, Log: o.Logger}
	docs := &Documents{
		Store: o.Store, Collections: o.Store, Shelf: o.Shelf, Queue: o.Queue, Imports: o.Imports, Web: o.Downloads, Finder: o.Finder, Clock: o.Clock, NewID: o.NewID, Log: o.Logger,
	}
	return &Service{
		Approvals: o.Approvals, Messages: o.Messages, Runs: o.Runs, Models: models, Documents: docs,
		Conversations: conversations,
		Users:         &Users{Store: o.Store, Conversations: conversations, Documents: docs, Clock: o.Clock, NewID: o.NewID, Log: o.Logger},
		Connections:   &Connections{Store: o.Store, Outlet: o.Outlet, Sealer: o.Sealer, Models: models, Prices: o.Prices, Clock: o.Clock},
		Agents:        &Agents{Store: o.Store, Models: models},
		Workflows:     &Workflows{Store: o.Store},
		Memory:        &Memory{Store: o.Store, Clock: o.Clock, NewID: o.NewID},
		Budgets:       &Budgets{Store: o.Store, Models: models, Prices: o.Prices, Clock: o.Clock, NewID: o.NewID},
		Prices:        &Prices{Store: o.Store, Book: o.Prices, Models: models, Clock: o.Clock},
		Rules:         &Rules{Store: o.Store, Tools: o.Tools, Policy: o.Approvals.Policy, Clock: o.Clock, NewID: o.NewID},
		Guards:        &Guards{Store: o.Store, Approvals: o.Approvals, Settings: o.Guards, Detectors: o.Detectors, Replay: o.Backtest, Search: o.Learn, Clock: o.Clock, NewID: o.NewID},
	}
}
