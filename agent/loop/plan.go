package loop

import (
	"fmt"
	"slices"
	"strings"

	"fusebox/agent"
)

// planStandsFor is after how many steps with calls the model is reminded of a plan that it
// has not updated.
const planStandsFor = 10

// plannedBehind reports whether another call of the same answer, behind c, has written down
// a plan: the last one stands, whichever ended last.
func (cs *calls) plannedBehind(c agent.ToolCall) bool {
	at := cs.lastOf(c)
	return slices.ContainsFunc(cs.since(c.Step), func(d agent.ToolCall) bool {
		return d.Name == c.Name && d.State == agent.CallSuccess && d.Authority.Kind != agent.AuthorityTwin && cs.lastOf(d) > at
	})
}

// lastOf is the place in its answer of a call, or of the last one that shares its result.
func (cs *calls) lastOf(c agent.ToolCall) int {
	at := c.Index
	for _, d := range cs.since(c.Step) {
		if d.Authority.Kind == agent.AuthorityTwin && d.Authority.ID == c.ID {
			at = max(at, d.Index)
		}
	}
	return at
}

// watchPlan reminds the model once of a plan that stands still while it works. It is written
// along with the start of the step.
func (x *execution) watchPlan() {
	p := x.run.State.Plan
	if p.Reminded || x.run.State.FinishNow || x.run.Steps-p.At < planStandsFor || len(p.Open()) == 0 {
		return
	}
	steps := map[int]bool{}
	for _, c := range x.calls.since(p.At + 1) {
		steps[c.Step] = true
	}
	if len(steps) < planStandsFor {
		return
	}
	r := x.with(agent.StatusRunning)
	r.State.Plan.Reminded = true
	remind(r, fmt.Sprintf("[System reminder] You have not updated your plan for %d steps. If it is out of date, update it with update_plan, then go on. It says:\n%s", planStandsFor, p))
	x.stage(agent.Change{Run: r, Events: events(agent.Notice{Message: "The model was reminded to update its plan."})})
}

// endsEarly reports whether the model has answered while steps of its plan are open, and
// can still be asked about them: once, if there is a step left for it.
func (x *execution) endsEarly() bool {
	p := x.run.State.Plan
	return !p.Asked && len(p.Open()) > 0 && !x.run.State.FinishNow && x.breakers.settings.Nudges > 0 &&
		(x.run.Limits.Steps == 0 || x.run.Steps < x.run.Limits.Steps)
}

// askAboutPlan has the model go on with the open steps of its plan, close them, or say why not.
func (x *execution) askAboutPlan() error {
	r := x.with(agent.StatusRunning)
	r.State.Plan.Asked, r.State.Unfinished = true, true
	remind(r, "[System reminder] You have answered, but steps of your plan are open:\n"+r.State.Plan.String()+
		"\nDo what is left. Close the steps with update_plan, as completed, or as blocked with a note that says why. Then give your whole answer, and name in it what stays open and why.")
	return x.commit(agent.Change{Run: r, Events: events(agent.Notice{
		Message: "The model was reminded of open steps of its plan: " + named(r.State.Plan.Open()) + ".",
	})})
}

// leftOpen names the steps that a run has not completed, with their notes; "" where the
// answer names all of them.
func leftOpen(p agent.Plan, answer string) string {
	answer = fold(answer)
	left := p.Left()
	if !slices.ContainsFunc(left, func(s agent.PlanStep) bool { return !strings.Contains(answer, fold(s.Step)) }) {
		return ""
	}
	return "Open in the plan: " + named(left) + "."
}

func fold(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// Bounds of the steps that a sentence names, and of what it quotes of each.
const (
	maxNamed  = 8
	maxQuoted = 100
)

// named lists steps with their notes.
func named(steps []agent.PlanStep) string {
	quote := func(s string) string {
		return strings.TrimRight(agent.Clip(strings.Join(strings.Fields(s), " "), maxQuoted), ".。")
	}
	var parts []string
	for i, s := range steps {
		if i == maxNamed {
			return strings.Join(parts, "; ") + fmt.Sprintf(" and %d other steps", len(steps)-i)
		}
		part := quote(s.Step)
		if s.Note != "" {
			part += " (" + quote(s.Note) + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}
