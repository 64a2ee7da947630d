package telemetry

import (
	"context"
	"time"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"

	"fusebox/agent"
)

// Runs is where the rows of a run are.
type Runs interface {
	Run(ctx context.Context, v agent.Viewer, id string) (*agent.Run, error)
	Steps(ctx context.Context, runID string) ([]agent.Step, error)
	ToolCalls(ctx context.Context, runID string) ([]agent.ToolCall, error)
	Approvals(ctx context.Context, v agent.Viewer, f agent.ApprovalFilter, p agent.Page) ([]agent.Approval, string, error)
	RunEvents(ctx context.Context, runID string) ([]agent.Event, error)
}

type past struct {
	run    agent.Run
	steps  []agent.Step
	calls  []agent.ToolCall
	cards  []agent.Approval
	events []agent.Event
}

// everything is the view of the exporter: it reads all runs.
var everything = agent.Viewer{Email: agent.System, Role: agent.RoleAdmin}

// maxCardPages bounds how many approvals of a run become spans.
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

// logged is what the log has about a step: when it began, which model was asked,
// the waits for another try and the fallbacks.
type logged struct {
	start time.Time
	asked string
	tries []*otlp.Span_Event
}

// readLog returns the steps by their number. A change of model within a step is
// for that one, a change between two is for all that follow.
func readLog(p past) map[int]*logged {
	steps := map[int]*logged{}
	var open *logged
	model := p.run.Model
	for _, e := range p.events {
		switch d := e.Data.(type) {
		case agent.StepStart:
			open = &logged{start: e.At, asked: model}
			steps[e.Step] = open
		case agent.StepFinish:
			open = nil
		case agent.RetryEvent:
			var a attributes
			a.number("fusebox.retry.attempt", int64(d.Attempt))
			if d.Status > 0 {
				a.number("http.response.status_code", int64(d.Status))
			}
			open.note(e, a)
		case agent.FallbackEvent:
			if open == nil && d.Model != "" {
				model = d.Model
			}
			var a attributes
			a.text("fusebox.fallback.reason", d.Reason)
			a.text("gen_ai.request.model", d.Model)
			open.note(e, a)
		}
	}
	return steps
}

// note adds an event to the step that is open, if one is.
func (l *logged) note(e agent.Event, a attributes) {
	if l != nil {
		l.tries = append(l.tries, &otlp.Span_Event{TimeUnixNano: nanos(e.At), Name: e.Type(), Attributes: a})
	}
}
