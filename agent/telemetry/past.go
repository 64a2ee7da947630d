package telemetry

import (
	"context"

	"fusebox/agent"
)

// Runs is where the rows of a run stand.
type Runs interface {
	Run(ctx context.Context, v agent.Viewer, id string) (*agent.Run, error)
	Steps(ctx context.Context, runID string) ([]agent.Step, error)
	ToolCalls(ctx context.Context, runID string) ([]agent.ToolCall, error)
	Approvals(ctx context.Context, v agent.Viewer, f agent.ApprovalFilter, p agent.Page) ([]agent.Approval, string, error)
	RunEvents(ctx context.Context, runID string) ([]agent.Event, error)
}

// past is all that became of a run.
type past struct {
	run    agent.Run
	steps  []agent.Step
	calls  []agent.ToolCall
	cards  []agent.Approval
	events []agent.Event
}

// everything is the view of the exporter: it reads all runs.
var everything = agent.Viewer{Email: agent.System, Role: agent.RoleAdmin}

// maxCardPages bounds how many cards of a run become spans.
const maxCardPages = 10

func readPast(ctx context.Context, from Runs, runID string) (p past, err error) {
	run, err := from.Run(ctx, everything, runID)
	if err != nil {
		return p, err
	}
	p.run = *run
	if p.steps, err = from.Steps(ctx, runID); err != nil {
		return p, err
	}
	if p.calls, err = from.ToolCalls(ctx, runID); err != nil {
		return p, err
	}
	if p.events, err = from.RunEvents(ctx, runID); err != nil {
		return p, err
	}
	page := agent.Page{Limit: 200}
	for range maxCardPages {
		cards, next, err := from.Approvals(ctx, everything, agent.ApprovalFilter{RunID: runID}, page)
		p.cards = append(p.cards, cards...)
		if err != nil || next == "" {
			return p, err
		}
		page.Cursor = next
	}
	return p, nil
}
