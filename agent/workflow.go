package agent

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"time"
)

// Workflow is a way in which agents work together, as data: which of them do what, in which
// order, and when it ends. Each change makes a new version; a run names the version it works by.
type Workflow struct {
	// Name is like that of an agent.
	Name string `json:"name"`
	// Purpose is what people and agents choose it by.
	Purpose string       `json:"purpose"`
	Kind    WorkflowKind `json:"kind"`
	// Inputs are what a person fills in beside the message, in that order.
	Inputs []WorkflowInput `json:"inputs,omitempty"`
	Steps  []WorkflowStep  `json:"steps"`
	// Rounds is how often a loop or a mesh goes round at most; 0 is DefaultRounds.
	Rounds int `json:"rounds,omitempty"`
	// Accept names the boolean value with which the reviewer of a loop accepts, or an agent of a
	// mesh says that it has nothing to add; "" is DefaultAccept, and DefaultDone for a mesh.
	Accept string `json:"accept,omitempty"`
	// Join says which of the steps that work beside each other have to succeed; "" is JoinAll.
	Join WorkflowJoin `json:"join,omitempty"`
	// Count is how many JoinSome waits for, Judge the agent that chooses for JoinBest.
	Count     int         `json:"count,omitempty"`
	Judge     string      `json:"judge,omitempty"`
	Version   int         `json:"version"`
	Source    AgentSource `json:"source"`
	UpdatedAt time.Time   `json:"updatedAt,omitzero"`
	// UpdatedBy is an e-mail address, "" where the program or its configuration made it.
	UpdatedBy string `json:"updatedBy,omitempty"`
}

// WorkflowKind is the form in which the steps of a workflow that need no others work together.
// Steps that need others follow once those have ended, in every form.
type WorkflowKind string

// The forms.
const (
	// FlowSequence has each step begin with what the one before it has handed back.
	FlowSequence WorkflowKind = "sequence"
	// FlowParallel has steps begin at the same time.
	FlowParallel WorkflowKind = "parallel"
	// FlowHierarchy has the first step's agent lead: it hands tasks to the agents of the others.
	FlowHierarchy WorkflowKind = "hierarchy"
	// FlowMesh has agents add to a shared board in rounds, until none has more to say.
	FlowMesh WorkflowKind = "mesh"
	// FlowLoop has the second step's agent review the first one's work until it accepts.
	FlowLoop WorkflowKind = "loop"
	// FlowDynamic has the first step's agent lead and choose among all agents.
	FlowDynamic WorkflowKind = "dynamic"
)

var workflowKinds = []WorkflowKind{FlowSequence, FlowParallel, FlowHierarchy, FlowMesh, FlowLoop, FlowDynamic}

// WorkflowJoin says when steps that work beside each other are done.
type WorkflowJoin string

// The joins.
const (
	JoinAll  WorkflowJoin = "all"
	JoinSome WorkflowJoin = "some" // the others are stopped then
	JoinBest WorkflowJoin = "best" // a judge chooses one
)

// WorkflowInput is something that a person fills in.
type WorkflowInput struct {
	// Name is that under which the steps read it, Label the words on the form; "" is the name.
	Name  string `json:"name"`
	Label string `json:"label,omitempty"`
	// Type is one of OutputTypes but array and object; "" is string.
	Type     string `json:"type,omitempty"`
	Required bool   `json:"required,omitempty"`
}

// WorkflowStep is what one agent, or a person, does.
type WorkflowStep struct {
	// Name is unlike those of the other steps; "" is step-N, where N counts from 1.
	Name string `json:"name,omitempty"`
	// Agent does the step, or a person where Person says what they do.
	Agent  string     `json:"agent,omitempty"`
	Person PersonStep `json:"person,omitempty"`
	// Task is what the agent is to do, or what the person is asked.
	Task string `json:"task"`
	// Options are those that a person chooses from.
	Options []string `json:"options,omitempty"`
	// Needs are the steps whose results it begins with. Nil is what the form says: in a
	// sequence the step before, else none.
	Needs []string `json:"needs,omitzero"`
	// Outputs are values that the agent has to hand back, by name, with their types.
	Outputs map[string]string `json:"outputs,omitempty"`
	// Retries is how often a step that fails is made again, before Fallback makes it; "" is none.
	Retries  int    `json:"retries,omitempty"`
	Fallback string `json:"fallback,omitempty"`
}

// PersonStep is what a person does in a step.
type PersonStep string

// What people do.
const (
	PersonApproves    PersonStep = "approve"    // yes goes on, no ends the run
	PersonChooses     PersonStep = "choose"     // one of the options, or of the results
	PersonCorrects    PersonStep = "correct"    // edits the result before
	PersonSupplements PersonStep = "supplement" // adds what is missing
	PersonTakesOver   PersonStep = "takeover"   // writes the answer
)

var personSteps = []PersonStep{PersonApproves, PersonChooses, PersonCorrects, PersonSupplements, PersonTakesOver}

// The bounds of workflows.
const (
	MaxWorkflows      = 100
	MaxWorkflowSteps  = 64
	MaxWorkflowInputs = 20
	MaxWorkflowRounds = 20
	MaxWorkflowTask   = 8 << 10 // bytes
	MaxRetries        = 3
	DefaultRounds     = 3
	DefaultAccept     = "accepted"
	DefaultDone       = "done"
	maxOptions        = 12 // as many as a question may have
	maxOption         = 200
	maxWorkflow       = 64 << 10 // bytes of JSON
)

// WorkflowRun is what a run remembers of the workflow that it works by.
type WorkflowRun struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
	// Inputs are what the person filled in.
	Inputs map[string]json.RawMessage `json:"inputs,omitempty"`
	// Given are results of an earlier run that this one begins with, by the step's place
	// from 0, see StepResult.
	Given map[int]StepResult `json:"given,omitempty"`
	// TakenOver are the names of those steps, as the run began.
	TakenOver []string `json:"takenOver,omitempty"`
}

// BeginningWith is the same work as of a run that begins with results of an earlier one.
func (r WorkflowRun) BeginningWith(w Workflow, given map[int]StepResult) *WorkflowRun {
	r.Given, r.TakenOver = given, nil
	for at := range w.Steps {
		if _, ok := given[at]; ok {
			r.TakenOver = append(r.TakenOver, w.StepName(at))
		}
	}
	return &r
}

// WorksBy is the name of the agent whose definition the run works by, or of the workflow that a
// run was started for by another one; "" for neither.
func (r Run) WorksBy() string {
	if r.State.Workflow != nil && r.Lineage.IsChild() {
		return r.State.Workflow.Name
	}
	return r.Agent
}

// StepResult is what a step has come to.
type StepResult struct {
	// RunID is the run of the agent that made it, "" for a person.
	RunID  string                     `json:"runId,omitempty"`
	Answer string                     `json:"answer,omitempty"`
	Values map[string]json.RawMessage `json:"values,omitempty"`
	// Sources are those that the answer and the values name by their ids.
	Sources []HandedSource `json:"sources,omitempty"`
}

// StepName is the name of the step at a place from 0.
func (w Workflow) StepName(at int) string {
	return cmp.Or(w.Steps[at].Name, "step-"+strconv.Itoa(at+1))
}

// Needs are the places of the steps that the one at a place begins after. The definition has
// to be one that Check accepts.
func (w Workflow) Needs(at int) []int {
	step := w.Steps[at]
	if step.Needs == nil {
		if w.Kind == FlowSequence && at > 0 {
			return []int{at - 1}
		}
		return nil
	}
	needs := make([]int, 0, len(step.Needs))
	for _, name := range step.Needs {
		for i := range w.Steps {
			if w.StepName(i) == name {
				needs = append(needs, i)
			}
		}
	}
	return needs
}

// First are the places of the steps that need no others.
func (w Workflow) First() []int {
	var first []int
	for at := range w.Steps {
		if len(w.Needs(at)) == 0 {
			first = append(first, at)
		}
	}
	return first
}

// MaxRounds is how often the workflow goes round at most.
func (w Workflow) MaxRounds() int { return cmp.Or(w.Rounds, DefaultRounds) }

// AcceptValue is the name of the value that ends a loop or a mesh.
func (w Workflow) AcceptValue() string {
	if w.Kind == FlowMesh {
		return cmp.Or(w.Accept, DefaultDone)
	}
	return cmp.Or(w.Accept, DefaultAccept)
}

// SameAs reports whether two definitions say the same, whatever their version and source.
func (w Workflow) SameAs(b Workflow) bool {
	w.Version, w.Source, w.UpdatedAt, w.UpdatedBy = b.Version, b.Source, b.UpdatedAt, b.UpdatedBy
	return string(MustJSON(w)) == string(MustJSON(b))
}

// Agents are the names of all agents that the workflow hands tasks to.
func (w Workflow) Agents() []string {
	var names []string
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, s := range w.Steps {
		add(s.Agent)
		add(s.Fallback)
	}
	add(w.Judge)
	return names
}
