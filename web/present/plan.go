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
	run     string
	steps   []agent.PlanStep
	status  agent.Status
	mayEdit bool
}

// foldPlan shows the plan of a run again once it, or the run's status, has changed.
func (p *Presenter) foldPlan(e agent.Event) {
	if p.plan.fold(e) {
		p.replace(p.plan.id(), p.plan.view())
	}
}

// fold takes over changes of the plan and of its run's status. It reports whether there is a plan to show.
func (pl *runPlan) fold(e agent.Event) bool {
	if pl == nil || pl.run != e.RunID {
		return false
	}
	switch d := e.Data.(type) {
	case agent.PlanEvent:
		pl.steps = d.Steps
	case agent.RunPaused:
		pl.status = agent.StatusPaused
	case agent.RunResumed:
		pl.status = agent.StatusRunning
	case agent.Finish:
		pl.status = d.Status
	}
	return len(pl.steps) > 0
}

func (pl *runPlan) id() string { return "plan-" + pl.run }

func (pl *runPlan) view() templ.Component {
	shown := PlanOf(pl.id(), pl.steps, pl.status)
	if pl.mayEdit && pl.status == agent.StatusPaused {
		shown.Edit = PlanHref(pl.run)
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

// changedBy names the changes that a call has made to the plan, "" for none.
func (pl *runPlan) changedBy(t *toolCall) string {
	var args agent.PlanArgs
	if t.name != agent.UpdatePlanTool || t.errorType != "" || json.Unmarshal([]byte(t.args), &args) != nil {
		return ""
	}
	var before []agent.PlanStep
	if pl != nil && pl.run == t.run {
		before = pl.steps
	}
	return planChanges(t.Text, before, args.Plan)
}

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
