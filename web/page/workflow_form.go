package page

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
)

// typedWorkflow is the form of a workflow as it is typed: all its fields are texts.
type typedWorkflow struct {
	name, purpose, kind, rounds, accept, join, count, judge, version string

	inputs []agent.WorkflowInput
	steps  []typedStep
}

type typedStep struct{ name, who, task, needs, outputs, options, retries, fallback string }

const (
	// personValue begins the value of a choice of who does a step that is a person; names of
	// agents have no colon.
	personValue = "person:"
	// afterNone is what is typed for a step that begins after no other one.
	afterNone = "-"
	// moreInputs is how many rows the form offers for further inputs.
	moreInputs = 2
)

// filledWorkflow is the form filled with a workflow.
func filledWorkflow(w agent.Workflow) typedWorkflow {
	t := typedWorkflow{
		name: w.Name, purpose: w.Purpose, kind: string(w.Kind), rounds: numberText(w.Rounds), accept: w.Accept, join: string(w.Join), count: numberText(w.Count), judge: w.Judge, inputs: w.Inputs,
	}
	for _, step := range w.Steps {
		s := typedStep{
			name: step.Name, who: step.Agent, task: step.Task, needs: strings.Join(step.Needs, ", "), options: strings.Join(step.Options, "\n"), retries: numberText(step.Retries), fallback: step.Fallback,
		}
		if step.Person != "" {
			s.who = personValue + string(step.Person)
		}
		if step.Needs != nil && len(step.Needs) == 0 {
			s.needs = afterNone
		}
		var outputs []string
		for _, name := range slices.Sorted(maps.Keys(step.Outputs)) {
			outputs = append(outputs, name+": "+step.Outputs[name])
		}
		s.outputs = strings.Join(outputs, ", ")
		t.steps = append(t.steps, s)
	}
	return t
}

// numberText is a number as it is typed, "" for 0.
func numberText(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// readWorkflow reads the form. Rows of inputs without a name and a label are none.
func readWorkflow(c echo.Context) (t typedWorkflow, err error) {
	form, err := c.FormParams()
	if err != nil {
		return t, agent.Wrap(agent.Invalid, err, "The form could not be read. Go back and try again.")
	}
	at := func(field string, i int) string { return cell(form, field, i) }
	t = typedWorkflow{
		name: c.FormValue("name"), purpose: c.FormValue("purpose"), kind: c.FormValue("kind"), rounds: c.FormValue("rounds"), accept: strings.TrimSpace(c.FormValue("accept")),
		join: c.FormValue("join"), count: c.FormValue("count"), judge: c.FormValue("judge"), version: c.FormValue("version"),
	}
	for i := range min(len(form["input.name"]), agent.MaxWorkflowInputs+1) {
		in := agent.WorkflowInput{Name: at("input.name", i), Label: at("input.label", i), Type: at("input.type", i), Required: at("input.required", i) != ""}
		if in.Name+in.Label != "" {
			t.inputs = append(t.inputs, in)
		}
	}
	for i := range min(len(form["step.task"]), agent.MaxWorkflowSteps+1) {
		t.steps = append(t.steps, typedStep{
			name: at("step.name", i), who: at("step.who", i), task: at("step.task", i), needs: at("step.needs", i), outputs: at("step.outputs", i),
			options: at("step.options", i), retries: at("step.retries", i), fallback: at("step.fallback", i),
		})
	}
	return t, nil
}

// change adds a step at the end, or moves or removes one: add, up.N, down.N, remove.N, where N
// counts from 0. All else changes nothing.
func (t *typedWorkflow) change(do string) {
	verb, place, _ := strings.Cut(do, ".")
	i, err := strconv.Atoi(place)
	there := err == nil && i >= 0 && i < len(t.steps)
	switch {
	case verb == "add" && len(t.steps) < agent.MaxWorkflowSteps:
		t.steps = append(t.steps, typedStep{})
	case verb == "up" && there && i > 0:
		t.steps[i-1], t.steps[i] = t.steps[i], t.steps[i-1]
	case verb == "down" && there && i+1 < len(t.steps):
		t.steps[i+1], t.steps[i] = t.steps[i], t.steps[i+1]
	case verb == "remove" && there:
		t.steps = slices.Delete(t.steps, i, i+1)
	}
}

// workflow is what the form says; bad names the fields that say nothing.
func (t typedWorkflow) workflow(tr *text.Printer) (w agent.Workflow, bad map[string]string) {
	bad = map[string]string{}
	number := func(field, typed string) int {
		n, err := strconv.Atoi(orZero(typed))
		if err != nil {
			bad[field] = tr.T("flow.step.not_number")
		}
		return n
	}
	w = agent.Workflow{
		Name: t.name, Purpose: t.purpose, Kind: agent.WorkflowKind(t.kind), Rounds: number("rounds", t.rounds), Accept: t.accept,
		Join: agent.WorkflowJoin(t.join), Count: number("count", t.count), Judge: t.judge, Inputs: t.inputs,
	}
	w.Version, _ = strconv.Atoi(t.version) // one that is none is not the newest
	for i, s := range t.steps {
		step := agent.WorkflowStep{Name: s.name, Agent: s.who, Task: s.task, Fallback: s.fallback, Retries: number(fmt.Sprintf("steps[%d].retries", i), s.retries)}
		if person, ok := strings.CutPrefix(s.who, personValue); ok {
			step.Agent, step.Person = "", agent.PersonStep(person)
		}
		step.Options = slices.DeleteFunc(strings.Split(s.options, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
		for j, option := range step.Options {
			step.Options[j] = strings.TrimSpace(option)
		}
		if step.Needs = listed(s.needs); s.needs == afterNone {
			step.Needs = []string{}
		}
		for _, output := range listed(s.outputs) {
			if step.Outputs == nil {
				step.Outputs = map[string]string{}
			}
			name, kind, _ := strings.Cut(output, ":")
			step.Outputs[strings.TrimSpace(name)] = cmp.Or(strings.TrimSpace(kind), "string")
		}
		w.Steps = append(w.Steps, step)
	}
	return w, bad
}

// listed are the entries of a text between commas; nil for none.
func listed(typed string) (all []string) {
	for entry := range strings.FieldsFuncSeq(typed, func(r rune) bool { return r == ',' || r == '，' || r == '、' }) {
		if entry = strings.TrimSpace(entry); entry != "" {
			all = append(all, entry)
		}
	}
	return all
}

// form is the form as it is shown.
func (t typedWorkflow) form(tr *text.Printer, agents []agent.Agent) page.WorkflowForm {
	f := page.WorkflowForm{Name: t.name, Purpose: t.purpose, Rounds: t.rounds, Accept: t.accept, Count: t.count}
	for _, kind := range []agent.WorkflowKind{agent.FlowSequence, agent.FlowParallel, agent.FlowHierarchy, agent.FlowMesh, agent.FlowLoop, agent.FlowDynamic} {
		f.Kinds = append(f.Kinds, page.Choice{Value: string(kind), Label: workflowKind(tr, kind), Selected: t.kind == string(kind)})
	}
	for _, join := range []struct {
		join agent.WorkflowJoin
		word string
	}{{"", tr.T("flow.join.all")}, {agent.JoinSome, tr.T("flow.join.some")}, {agent.JoinBest, tr.T("flow.join.best")}} {
		f.Joins = append(f.Joins, page.Choice{Value: string(join.join), Label: join.word, Selected: cmp.Or(t.join, string(agent.JoinAll)) == cmp.Or(string(join.join), string(agent.JoinAll))})
	}
	f.Judges = agentsOrNone(agents, tr.T("flow.no_judge"), t.judge)
	for _, in := range slices.Concat(t.inputs, make([]agent.WorkflowInput, moreInputs)) {
		row := page.WorkflowFormInput{Name: in.Name, Label: in.Label, Required: in.Required}
		for _, kind := range []string{"string", "number", "integer", "boolean"} {
			row.Types = append(row.Types, page.Choice{Value: kind, Label: kind, Selected: cmp.Or(in.Type, "string") == kind})
		}
		f.Inputs = append(f.Inputs, row)
	}
	for _, s := range t.steps {
		step := page.WorkflowFormStep{Name: s.name, Task: s.task, Needs: s.needs, Outputs: s.outputs, Options: s.options, Retries: s.retries, None: s.who == ""}
		step.Agents = agentsOrNone(agents, "", s.who)[1:]
		if _, person := strings.CutPrefix(s.who, personValue); person { // it is no agent that is away
			step.Agents = step.Agents[:len(agents)]
		}
		for _, does := range []agent.PersonStep{agent.PersonApproves, agent.PersonChooses, agent.PersonCorrects, agent.PersonSupplements, agent.PersonTakesOver} {
			value := personValue + string(does)
			step.People = append(step.People, page.Choice{Value: value, Label: personWord(tr, does), Selected: s.who == value})
		}
		step.Fallbacks = agentsOrNone(agents, tr.T("flow.step.no_fallback"), s.fallback)
		f.Steps = append(f.Steps, step)
	}
	return f
}

// agentsOrNone are the agents, behind none; and behind them the one that is chosen, where
// there is no such agent any more.
func agentsOrNone(agents []agent.Agent, none, chosen string) []page.Choice {
	choices := []page.Choice{{Label: none, Selected: chosen == ""}}
	known := chosen == ""
	for _, a := range agents {
		known = known || a.Name == chosen
		choices = append(choices, page.Choice{Value: a.Name, Label: a.Name, Selected: a.Name == chosen})
	}
	if !known {
		choices = append(choices, page.Choice{Value: chosen, Label: chosen, Selected: true})
	}
	return choices
}

// workflowKind is the form of a workflow in words.
func workflowKind(tr *text.Printer, kind agent.WorkflowKind) string {
	switch kind {
	case agent.FlowParallel:
		return tr.T("flow.kind.parallel")
	case agent.FlowHierarchy:
		return tr.T("flow.kind.hierarchy")
	case agent.FlowMesh:
		return tr.T("flow.kind.mesh")
	case agent.FlowLoop:
		return tr.T("flow.kind.loop")
	case agent.FlowDynamic:
		return tr.T("flow.kind.dynamic")
	default:
		return tr.T("flow.kind.sequence")
	}
}

// personWord is what a person does, in words.
func personWord(tr *text.Printer, does agent.PersonStep) string {
	switch does {
	case agent.PersonChooses:
		return tr.T("flow.person.choose")
	case agent.PersonCorrects:
		return tr.T("flow.person.correct")
	case agent.PersonSupplements:
		return tr.T("flow.person.supplement")
	case agent.PersonTakesOver:
		return tr.T("flow.person.takeover")
	default:
		return tr.T("flow.person.approve")
	}
}
