package present

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"fusebox/agent"
	"fusebox/agent/workflow"
	"fusebox/views/part"
	"fusebox/views/text"
)

// Flows reads a version of a workflow, and what a run of each of its agents may cost; false where there is none.
type Flows func(name string, version int) (w agent.Workflow, limit func(agentName string) int64, ok bool)

// runFlow is a run that works by a workflow, as far as the page knows it. One element shows its steps,
// above their cards.
type runFlow struct {
	workflow.Watched
	*audience
	children *children
	cards    *cards
}

// newFlow is the flow of a run that starts, nil where it works by no workflow, or by one that cannot be read.
func (p *Presenter) newFlow(e agent.Event, start agent.RunStart) *runFlow {
	if start.Workflow == "" || p.Flows == nil {
		return nil
	}
	w, limit, ok := p.Flows(start.Workflow, start.WorkflowVersion)
	if !ok {
		return nil
	}
	return &runFlow{audience: p.audience, children: p.children, cards: p.cards, Watched: workflow.Watched{
		Workflow: w, TakenOver: start.TakenOver, Limit: limit,
		Run: agent.Run{ID: e.RunID, Status: agent.StatusRunning, Limits: start.Limits, State: agent.RunState{
			Workflow: &agent.WorkflowRun{Name: start.Workflow, Version: start.WorkflowVersion},
		}},
	}}
}

// fold takes over an event of the run, or of one below it; false for one that changes nothing of the steps.
func (f *runFlow) fold(e agent.Event) bool {
	if f == nil || e.ParentRunID == "" && e.RunID != f.Run.ID {
		return false
	}
	own := e.RunID == f.Run.ID
	switch d := e.Data.(type) {
	case agent.MessageEvent:
		if !own || d.Message.Role != agent.FromAssistant {
			return false
		}
		for _, c := range d.Message.ToolCalls {
			f.Calls = append(f.Calls, agent.ToolCall{ID: c.ID, RunID: e.RunID, Name: c.Name, Args: c.Arguments, State: agent.CallValidating})
		}
		return true
	case agent.ToolCallStateEvent:
		c := f.call(d.ToolCallID)
		if own && c != nil {
			c.State = d.State
			if d.Rule != (agent.Authority{}) {
				c.Authority = d.Rule
			}
		}
		return own
	case agent.ToolCallResult:
		c := f.call(d.ToolCallID)
		if own && c != nil {
			c.Result, c.ErrorType = d.Result, d.ErrorType
		}
		return own
	case agent.StepFinish:
		if own {
			f.Run.CostMicros += d.CostMicros
		}
		return true
	case agent.Finish:
		if own {
			f.Run.Status = d.Status
		}
		return true
	case agent.RunStart:
		return !own // its own has made this
	case agent.ApprovalRequestedEvent, agent.ApprovalDecidedEvent, agent.RunPaused:
		return true
	default:
		return false
	}
}

func (f *runFlow) call(id string) *agent.ToolCall {
	if i := slices.IndexFunc(f.Calls, func(c agent.ToolCall) bool { return c.ID == id }); i >= 0 {
		return &f.Calls[i]
	}
	return nil
}

func (f *runFlow) id() string { return "flow-" + f.Run.ID }

func (f *runFlow) view() templ.Component {
	seen := f.Watched
	for _, id := range slices.Sorted(maps.Keys(f.children.byID)) {
		c := f.children.byID[id]
		r := agent.Run{ID: id, Status: agent.StatusRunning, Agent: c.agent, CostMicros: c.fold.Run.cost, Lineage: agent.Lineage{ParentRunID: c.parent, ParentCallID: c.callID}}
		if c.end != nil {
			r.Status = c.end.Status
		}
		if f.owns(r.ID) {
			seen.Below = append(seen.Below, r)
		}
	}
	seen.Asks = func(runID string) bool {
		for _, a := range f.cards.byID {
			if a.RunID == runID && a.Status == agent.ApprovalPending {
				return true
			}
		}
		return false
	}
	return part.FlowView(FlowOf(f.Text, f.id(), f.Run, seen.Progress(), FlowFor{Owns: f.Owns, TokensOnly: f.TokensOnly}))
}

func (f *runFlow) owns(runID string) bool {
	for c := f.children.byID[runID]; c != nil; c = f.children.byID[c.parent] {
		if c.parent == f.Run.ID {
			return true
		}
	}
	return false
}

// FlowFor is whom the steps of a run are shown to: who owns it may go back to one, and not everybody
// is shown money.
type FlowFor struct{ Owns, TokensOnly bool }

// FlowOf is how the steps of a run stand that works by a workflow.
func FlowOf(tr *text.Printer, id string, run agent.Run, p workflow.Progress, to FlowFor) part.Flow {
	shown := part.Flow{ID: id, Name: run.State.Workflow.Name, Version: run.State.Workflow.Version, Ended: run.Status.Ended()}
	for _, s := range p.Steps {
		step := part.FlowStep{Name: s.Name, Who: s.Agent, State: string(s.State)}
		if s.Person != "" {
			step.Who = tr.T("flow.step.person")
		}
		switch waits := openNeeds(s, p.Steps); {
		case s.TakenOver:
			step.Note = tr.T("flow.run.reused")
		case s.State == workflow.StepWaiting && len(waits) > 0:
			step.Note = tr.T("flow.run.waits", strings.Join(waits, tr.T("common.comma")))
		}
		if s.Tries > 1 {
			step.Facts = append(step.Facts, tr.T("flow.run.tries", s.Tries))
		}
		if s.CostMicros > 0 && !to.TokensOnly {
			step.Facts = append(step.Facts, Money(s.CostMicros))
		}
		if len(s.Runs) > 0 {
			step.Run = "/runs/" + s.Runs[len(s.Runs)-1]
		}
		if to.Owns && shown.Ended && run.DeletedAt.IsZero() && s.MayAgain() {
			step.Again = AgainHref(run.ID, s.Name)
		}
		shown.Steps = append(shown.Steps, step)
	}
	if to.TokensOnly {
		return shown
	}
	shown.Cost = tr.T("flow.run.cost", Money(p.CostMicros))
	switch {
	case shown.Ended:
	case p.MaxCostMicros == nil:
		shown.Most = tr.T("flow.run.no_limit")
	default:
		shown.Most = tr.T("flow.run.most", Money(*p.MaxCostMicros))
	}
	return shown
}

// AgainHref is the page on which a run goes back to a step.
func AgainHref(runID, step string) string {
	return "/runs/" + runID + "/again?" + url.Values{"step": {step}}.Encode()
}

func openNeeds(s workflow.Step, all []workflow.Step) (open []string) {
	for _, of := range all {
		if slices.Contains(s.Needs, of.Name) && !of.State.Settled() {
			open = append(open, of.Name)
		}
	}
	return open
}
