package agent

import (
	"fmt"
	"slices"
	"strings"
)

// Check answers Invalid, with the field and what is allowed there.
func (w Workflow) Check() error {
	switch {
	case !agentName.MatchString(w.Name):
		return InvalidField("name", "use 1 to 40 lower-case letters, digits, hyphens, and underscores, beginning with a letter, such as article")
	case strings.TrimSpace(w.Purpose) == "":
		return InvalidField("purpose", "is empty; say in a sentence or two what the workflow is for")
	case len(w.Purpose) > MaxAgentPurpose:
		return InvalidField("purpose", "has %d bytes; at most %d are allowed", len(w.Purpose), MaxAgentPurpose)
	case !plain(w.Purpose, ""):
		return InvalidField("purpose", "has characters that cannot be shown; use printable text in one line")
	case !slices.Contains(workflowKinds, w.Kind):
		return InvalidField("kind", "%q is not allowed; allowed: %s", Clip(string(w.Kind), 40), joined(workflowKinds))
	case len(w.Inputs) > MaxWorkflowInputs:
		return InvalidField("inputs", "are %d; at most %d are allowed", len(w.Inputs), MaxWorkflowInputs)
	case len(w.Steps) == 0:
		return InvalidField("steps", "are empty; name at least one")
	case len(w.Steps) > MaxWorkflowSteps:
		return InvalidField("steps", "are %d; at most %d are allowed", len(w.Steps), MaxWorkflowSteps)
	case len(MustJSON(w)) > maxWorkflow:
		return InvalidField("steps", "are too long; the whole workflow has at most %d bytes", maxWorkflow)
	}
	for i := range w.Inputs {
		if err := w.checkInput(i); err != nil {
			return err
		}
	}
	for i := range w.Steps {
		if err := w.checkStep(i); err != nil {
			return err
		}
	}
	if err := w.checkOrder(); err != nil {
		return err
	}
	for i := range w.Steps {
		if err := w.checkChoice(i); err != nil {
			return err
		}
	}
	return w.checkForm()
}

func joined[T ~string](names []T) string {
	text := make([]string, len(names))
	for i, name := range names {
		text[i] = string(name)
	}
	return strings.Join(text, ", ")
}

func (w Workflow) checkInput(at int) error {
	in, field := w.Inputs[at], fmt.Sprintf("inputs[%d].", at)
	switch {
	case !agentName.MatchString(in.Name) || in.Name == "message":
		return InvalidField(field+"name", "use 1 to 40 lower-case letters, digits, hyphens, and underscores, beginning with a letter; message is the person's message")
	case slices.ContainsFunc(w.Inputs[:at], func(b WorkflowInput) bool { return b.Name == in.Name }):
		return InvalidField(field+"name", "%s is there twice", in.Name)
	case len(in.Label) > maxOption || !plain(in.Label, ""):
		return InvalidField(field+"label", "use at most %d bytes of printable text in one line", maxOption)
	}
	if !slices.Contains([]string{"", "string", "number", "integer", "boolean"}, in.Type) {
		return InvalidField(field+"type", "%q is not allowed; allowed: string, number, integer, boolean", Clip(in.Type, 40))
	}
	return nil
}

func (w Workflow) checkStep(at int) error {
	s, field := w.Steps[at], fmt.Sprintf("steps[%d].", at)
	for i := range at {
		if w.StepName(i) == w.StepName(at) {
			return InvalidField(field+"name", "%s is the name of another step too", w.StepName(at))
		}
	}
	switch {
	case s.Name != "" && !agentName.MatchString(s.Name):
		return InvalidField(field+"name", "use 1 to 40 lower-case letters, digits, hyphens, and underscores, beginning with a letter")
	case (s.Agent == "") == (s.Person == ""):
		return InvalidField(field+"agent", "name an agent, or say in person what a person does")
	case s.Agent != "" && !agentName.MatchString(s.Agent):
		return InvalidField(field+"agent", "%q is not the name of an agent", Clip(s.Agent, 40))
	case s.Person != "" && !slices.Contains(personSteps, s.Person):
		return InvalidField(field+"person", "%q is not allowed; allowed: %s", Clip(string(s.Person), 40), joined(personSteps))
	case s.Agent != "" && strings.TrimSpace(s.Task) == "":
		return InvalidField(field+"task", "is empty; say what is to be done, and what is to be handed back")
	case len(s.Task) > MaxWorkflowTask || !plain(s.Task, "\n\t"):
		return InvalidField(field+"task", "use at most %d bytes of printable text", MaxWorkflowTask)
	case len(s.Options) > 0 && s.Person != PersonChooses:
		return InvalidField(field+"options", "are for a person who chooses only")
	case len(s.Options) == 1 || len(s.Options) > maxOptions:
		return InvalidField(field+"options", "are %d; 2 to %d are allowed", len(s.Options), maxOptions)
	case s.Retries < 0 || s.Retries > MaxRetries:
		return InvalidField(field+"retries", "is %d; allowed: 0 to %d", s.Retries, MaxRetries)
	case s.Person != "" && (s.Retries > 0 || s.Fallback != "" || len(s.Outputs) > 0):
		return InvalidField(field+"person", "has no retries, fallback, and outputs: those are of agents")
	case s.Fallback != "" && !agentName.MatchString(s.Fallback):
		return InvalidField(field+"fallback", "%q is not the name of an agent", Clip(s.Fallback, 40))
	}
	for i, option := range s.Options {
		if strings.TrimSpace(option) == "" || len(option) > maxOption || !plain(option, "") || slices.Contains(s.Options[:i], option) {
			return InvalidField(field+"options", "use each once, with 1 to %d bytes of printable text", maxOption)
		}
	}
	if err := CheckOutputs(s.Outputs); err != nil {
		return InvalidField(field+"outputs", "%s", MessageOf(err))
	}
	return nil
}

// checkOrder refuses needs that cannot be met.
func (w Workflow) checkOrder() error {
	for at, s := range w.Steps {
		for i, name := range s.Needs {
			field := fmt.Sprintf("steps[%d].needs", at)
			known := false
			for j := range w.Steps {
				known = known || w.StepName(j) == name
			}
			switch {
			case !known:
				return InvalidField(field, "there is no step %q", Clip(name, 40))
			case slices.Contains(s.Needs[:i], name):
				return InvalidField(field, "has %s twice", name)
			}
		}
	}
	done := make([]bool, len(w.Steps))
	for range w.Steps {
		for at := range w.Steps {
			done[at] = done[at] || !slices.ContainsFunc(w.Needs(at), func(need int) bool { return !done[need] })
		}
	}
	if at := slices.Index(done, false); at >= 0 {
		return InvalidField(fmt.Sprintf("steps[%d].needs", at), "go in a circle: %s waits for a step that waits for it", w.StepName(at))
	}
	return nil
}

// checkChoice refuses a step in which a person has nothing to choose from.
func (w Workflow) checkChoice(at int) error {
	s := w.Steps[at]
	if n := len(w.Needs(at)); s.Person == PersonChooses && len(s.Options) == 0 && (n < 2 || n > maxOptions) {
		return InvalidField(fmt.Sprintf("steps[%d].options", at), "are missing; name some, or have the step need 2 to %d others, of which one is chosen", maxOptions)
	}
	return nil
}

// checkForm refuses what the form of the workflow has no use for.
func (w Workflow) checkForm() error {
	first := w.First()
	person := slices.ContainsFunc(first, func(at int) bool { return w.Steps[at].Person != "" })
	goesRound := w.Kind == FlowLoop || w.Kind == FlowMesh
	switch {
	case w.Rounds < 0 || w.Rounds > MaxWorkflowRounds:
		return InvalidField("rounds", "is %d; allowed: 0 (%d) to %d", w.Rounds, DefaultRounds, MaxWorkflowRounds)
	case w.Rounds > 0 && !goesRound:
		return InvalidField("rounds", "are for the kinds %s and %s", FlowLoop, FlowMesh)
	case w.Accept != "" && !goesRound:
		return InvalidField("accept", "is for the kinds %s and %s", FlowLoop, FlowMesh)
	case len(w.Accept) > maxOutputName || !plain(w.Accept, ""):
		return InvalidField("accept", "use the name of a value, of at most %d bytes", maxOutputName)
	case w.Kind == FlowLoop && len(first) != 2:
		return InvalidField("steps", "of a loop need exactly two that need no others: who works, and who reviews; there are %d", len(first))
	case w.Kind == FlowMesh && len(first) < 2:
		return InvalidField("steps", "of a mesh need at least two that need no others; there are %d", len(first))
	case w.Kind != FlowSequence && w.Kind != FlowParallel && person:
		return InvalidField("steps", "that need no others are of agents in a %s; a person can follow, with needs", w.Kind)
	case w.Join != "" && !slices.Contains([]WorkflowJoin{JoinAll, JoinSome, JoinBest}, w.Join):
		return InvalidField("join", "%q is not allowed; allowed: %s, %s, %s", Clip(string(w.Join), 40), JoinAll, JoinSome, JoinBest)
	case w.Join != "" && w.Join != JoinAll && (w.Kind != FlowParallel || person):
		return InvalidField("join", "%s is for agents that work in parallel", w.Join)
	case w.Join == JoinSome && (w.Count < 1 || w.Count > len(first)):
		return InvalidField("count", "is %d; %d steps begin, so 1 to %d are allowed", w.Count, len(first), len(first))
	case w.Join != JoinSome && w.Count != 0:
		return InvalidField("count", "is for the join %s", JoinSome)
	case (w.Join == JoinBest) != (w.Judge != ""):
		return InvalidField("judge", "names an agent for the join %s, and is empty for others", JoinBest)
	case w.Judge != "" && !agentName.MatchString(w.Judge):
		return InvalidField("judge", "%q is not the name of an agent", Clip(w.Judge, 40))
	}
	return nil
}

// CheckAgents answers Invalid where the workflow names an agent that is not among those there are.
func (w Workflow) CheckAgents(all []Agent) error {
	exists := func(field, name string) error {
		if name == "" || slices.ContainsFunc(all, func(a Agent) bool { return a.Name == name }) {
			return nil
		}
		return InvalidField(field, "there is no agent named %s", Clip(name, 40))
	}
	for i, step := range w.Steps {
		if err := exists(fmt.Sprintf("steps[%d].agent", i), step.Agent); err != nil {
			return err
		}
		if err := exists(fmt.Sprintf("steps[%d].fallback", i), step.Fallback); err != nil {
			return err
		}
	}
	return exists("judge", w.Judge)
}
