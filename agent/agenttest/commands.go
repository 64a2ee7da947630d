package agenttest

import (
	"context"
	"errors"

	"fusebox/agent"
	"fusebox/agent/service"
)

// CommandStore is what commands on messages, runs, and approvals read and write.
type CommandStore interface {
	service.DecisionStore
	service.MessageStore
	service.RunStore
}

// Commands are all that people command of runs, for tests that play several parts.
type Commands struct {
	*service.Approvals
	*service.Messages
	*service.Runs
}

// NewCommands makes them for conversations that name no model, or the model "demo".
func NewCommands(store CommandStore, runner interface {
	service.RunStarter
	service.RunEnder
}, tools agent.Toolbox, clock agent.Clock, newID agent.NewID,
) Commands {
	approvals := &service.Approvals{Store: store, Runner: runner, Tools: tools, Clock: clock, NewID: newID}
	runs := &service.Runs{Store: store, Approvals: approvals, Runner: runner, Tools: tools, Clock: clock}
	return Commands{approvals, &service.Messages{
		Store: store, Runs: runs, Runner: runner, Tools: tools, Clock: clock, NewID: newID, Models: &service.Models{Configured: "demo"},
	}, runs}
}

// Tick does all that is due, as the program does every second.
func (c Commands) Tick(ctx context.Context) error {
	return errors.Join(c.Approvals.Tick(ctx), c.SendNext(ctx, ""), c.TellStandstills(ctx))
}
