package present

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/views/text"
	"fusebox/web/present/invisible"
)

// runPlan is the plan of one run, as far as the page knows it.
type runPlan struct {
	run    string
	steps  []agent.PlanStep
	status agent.Status
}

// foldPlan shows the plan of a run, which is one element above its answers: a place for it
// when the run starts, and another view of it whenever the plan or the run's status changes.
func (p *Presenter) foldPlan(e agent.Event) {
	if _, starts := e.Data.(agent.RunStart); starts {
		of := &runPlan{run: e.RunID, status: agent.StatusRunning}
		p.plan = of
		p.add(item{id: planID(of.run), seq: e.Seq, View: func() templ.Component { return p.planView(of) }})
		return
	}
	of := p.plan
	if of == nil || of.run != e.RunID {
		return
	}
	switch d := e.Data.(type) {
	case agent.PlanEvent:
		of.steps = d.Steps
	case agent.RunPaused:
		of.status = agent.StatusPaused
	case agent.RunResumed:
		of.status = agent.StatusRunning
	case agent.Finish:
		of.status = d.Status
	}
	if len(of.steps) > 0 {
		p.replace(planID(of.run), p.planView(of))
	}
}

func planID(runID string) string { return "plan-" + runID }

func (p *Presenter) planView(of *runPlan) templ.Component {
	shown := PlanOf(planID(of.run), of.steps, of.status)
	if p.Owns && of.status == agent.StatusPaused {
		shown.Edit = PlanHref(of.run)
	}
	return part.PlanView(shown)
}

// PlanHref is where the plan of a run is changed.
func PlanHref(runID string) string { return "/runs/" + runID + "/plan" }

// PlanOf is the plan of a run with a status.
func PlanOf(id string, steps []agent.PlanStep, s agent.Status) part.Plan {
	shown := part.Plan{ID: id, Works: s == agent.StatusRunning, Ended: s.Ended()}
	for _, step := range steps {
		shown.Steps = append(shown.Steps, part.PlanStep{Step: invisible.Visible(step.Step), Status: string(step.Status), Note: invisible.Visible(step.Note)})
	}
	return shown
}

// notePlan has the row of a call say what it has changed of the plan.
func (p *Presenter) notePlan(t *toolCall) {
	var args agent.PlanArgs
	if t.name != agent.UpdatePlanTool || t.errorType != "" || json.Unmarshal([]byte(t.args), &args) != nil {
		return
	}
	var before []agent.PlanStep
	if p.plan != nil && p.plan.run == t.run {
		before = p.plan.steps
	}
	t.gives = planChanges(p.Text, before, args.Plan)
}

// maxPlanChanges is how many steps the row of a call names.
const maxPlanChanges = 2

// planChanges says in short what another plan changes.
func planChanges(tr *text.Printer, before, after []agent.PlanStep) string {
	if len(before) == 0 {
		return tr.T("present.plan.steps", len(after))
	}
	find := func(in []agent.PlanStep, step string) int {
		return slices.IndexFunc(in, func(s agent.PlanStep) bool { return s.Step == step })
	}
	var says []string
	moved, added, gone := 0, 0, 0
	for _, s := range after {
		i := find(before, s.Step)
		switch {
		case i < 0:
			added++
		case before[i].Status != s.Status:
			if moved++; moved <= maxPlanChanges {
				says = append(says, tr.T("present.plan.moved", agent.Clip(invisible.Visible(s.Step), maxResultGist), part.PlanStatusWord(tr, string(s.Status))))
			}
		}
	}
	for _, s := range before {
		if find(after, s.Step) < 0 {
			gone++
		}
	}
	if more := moved - maxPlanChanges; more > 0 {
		says = append(says, tr.T("present.plan.more", more))
	}
	if added > 0 {
		says = append(says, tr.T("present.plan.added", added))
	}
	if gone > 0 {
		says = append(says, tr.T("present.plan.gone", gone))
	}
	if len(says) == 0 {
		return tr.T("present.plan.same")
	}
	return strings.Join(says, " · ")
}
