package agent

import (
	"fmt"
	"slices"
	"strings"
)

// UpdatePlanTool is the tool with which the model writes down the plan of its run.
const UpdatePlanTool = "update_plan"

// PlanStatus says how far one step of a plan is.
type PlanStatus string

// The statuses of a plan's steps.
const (
	PlanNotStarted PlanStatus = "not_started"
	PlanInProgress PlanStatus = "in_progress"
	PlanCompleted  PlanStatus = "completed"
	PlanBlocked    PlanStatus = "blocked"
)

// PlanStatuses are all statuses, in the order in which a step has them.
var PlanStatuses = []PlanStatus{PlanNotStarted, PlanInProgress, PlanCompleted, PlanBlocked}

// PlanStep is one step of a plan.
type PlanStep struct {
	Step   string     `json:"step"`
	Status PlanStatus `json:"status"`
	// Note says what is to be known of the step, such as why it is blocked.
	Note string `json:"note,omitempty"`
}

// PlanArgs are the arguments of the tool.
type PlanArgs struct {
	Plan []PlanStep `json:"plan"`
}

// Plan is what a run is to do, step by step. Its steps are replaced, never changed.
type Plan struct {
	Steps []PlanStep `json:"steps,omitempty"`
	// At is the run's step in which the plan was changed last.
	At int `json:"at,omitempty"`
	// Reminded says that the model was told that the plan stands still, Asked that it
	// was asked about steps that were open at the end.
	Reminded bool `json:"reminded,omitempty"`
	Asked    bool `json:"asked,omitempty"`
}

// With is the plan with other steps, as of a step of the run.
func (p Plan) With(steps []PlanStep, at int) Plan {
	p.Steps, p.At, p.Reminded = steps, at, false
	return p
}

// Done counts the steps that are completed.
func (p Plan) Done() int { return len(p.Steps) - len(p.Left()) }

// Left are the steps that are not completed.
func (p Plan) Left() []PlanStep {
	return slices.DeleteFunc(slices.Clone(p.Steps), func(s PlanStep) bool { return s.Status == PlanCompleted })
}

// Open are the steps on which the model could still work.
func (p Plan) Open() []PlanStep {
	return slices.DeleteFunc(p.Left(), func(s PlanStep) bool { return s.Status == PlanBlocked })
}

// String is the plan as the model reads it, one line a step.
func (p Plan) String() string {
	var b strings.Builder
	for i, s := range p.Steps {
		fmt.Fprintf(&b, "\n%d. [%s] %s", i+1, s.Status, oneLine(s.Step))
		if s.Note != "" {
			b.WriteString(" (note: " + oneLine(s.Note) + ")")
		}
	}
	return strings.TrimPrefix(b.String(), "\n")
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// planChanged begins what the model reads of a plan that a person has changed.
const planChanged = "The person has changed the plan:\n"

// ChangePlan replaces the run's plan with a person's, and queues a message that tells the model.
// It drops messages about earlier changes that the model has not read yet.
func (r *Run) ChangePlan(by string, steps []PlanStep) {
	r.State.Plan = r.State.Plan.With(steps, r.Steps)
	r.State.Guidance = slices.DeleteFunc(slices.Clone(r.State.Guidance), func(g Guidance) bool { return strings.HasPrefix(g.Text, planChanged) })
	r.State.Guidance = append(r.State.Guidance, Guidance{By: by, Text: planChanged + r.State.Plan.String()})
}

// ChangesPlan reports whether the message is a plan that a person has changed. Most of its
// words are the model's.
func (m *Message) ChangesPlan() bool { return m.Guides() && strings.HasPrefix(m.Content, planChanged) }
