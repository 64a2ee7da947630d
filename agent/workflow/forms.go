package workflow

import (
	"encoding/json"
	"slices"
	"strings"

	"fusebox/agent"
)

// form settles the steps that need no others, where the form of the workflow has more to say
// of them than that they begin at once. What they have come to counts once all of them are.
func (p *planner) form() {
	first := p.Workflow.First()
	switch w := p.Workflow; {
	case w.Kind == agent.FlowLoop:
		p.formed = p.loop(first[0], first[1])
	case w.Kind == agent.FlowMesh:
		p.formed = p.mesh(first)
	case w.Kind == agent.FlowHierarchy || w.Kind == agent.FlowDynamic:
		p.formed = p.led(first[0], first[1:])
	case w.Join == agent.JoinSome:
		p.formed = p.some(first)
	case w.Join == agent.JoinBest:
		p.formed = p.best(first)
	default:
		p.formed = true
		return
	}
	for _, at := range first {
		p.looked[at] = true
	}
}

// some settles steps that begin at the same time once enough of them are done: the others are
// stopped. A person is asked about one that has failed only where the rest is not enough.
func (p *planner) some(first []int) bool {
	enough := p.Workflow.Count
	open := p.sideBySide(first)
	if made := p.made(first); len(made) >= enough {
		p.begin, p.end, p.enough = nil, nil, p.anyOpen(first)
		p.keep(first, made[:enough], "Enough others were done.")
		return !p.enough
	}
	if open {
		return false
	}
	p.askAboutFailed(first, enough)
	if made := p.made(first); len(made) >= enough {
		p.keep(first, made[:enough], "Enough others were done.")
	}
	return p.all(first)
}

// best settles steps that begin at the same time with the one that the judge chooses.
func (p *planner) best(first []int) bool {
	for _, at := range first {
		p.results[at] = p.given(at)
	}
	if made := p.made(first); len(made) > 0 { // an earlier run has chosen
		p.keep(first, made, "Another one was better.")
		return true
	}
	if p.sideBySide(first) {
		return false
	}
	p.askAboutFailed(first, 1)
	made := p.made(first)
	if len(made) < 2 {
		return p.all(first)
	}
	chosen, ok := p.judged(made)
	if ok {
		p.keep(first, []int{chosen}, "Another one was better.")
	}
	return ok
}

// sideBySide makes steps at the same time, without asking anybody about those that fail. It
// reports whether some are not settled.
func (p *planner) sideBySide(first []int) (open bool) {
	for _, at := range first {
		j := p.taskOf(at)
		j.optional = true
		p.results[at] = p.agent(at, 1, j)
		open = open || p.results[at] == nil
	}
	return open
}

// anyOpen reports whether one of the steps is being made.
func (p *planner) anyOpen(steps []int) bool {
	for _, c := range p.calls {
		if c.State == Open && slices.Contains(steps, c.Key.Place) {
			return true
		}
	}
	return false
}

// made are those steps that have a result.
func (p *planner) made(steps []int) (made []int) {
	for _, at := range steps {
		if r := p.results[at]; r != nil && r.without == "" {
			made = append(made, at)
		}
	}
	return made
}

// askAboutFailed asks about the steps that have failed, one after the other, as long as the
// others are not enough.
func (p *planner) askAboutFailed(first []int, enough int) {
	for _, at := range first {
		if r := p.results[at]; r.without == "" || len(p.made(first)) >= enough {
			continue
		}
		if p.results[at] = p.agent(at, 1, p.taskOf(at)); p.results[at] == nil {
			return
		}
	}
}

func (p *planner) all(steps []int) bool {
	return !slices.ContainsFunc(steps, func(at int) bool { return p.results[at] == nil })
}

// keep keeps the results of some of the steps; why says it of the others.
func (p *planner) keep(first, kept []int, why string) {
	for _, at := range first {
		if r := p.results[at]; !slices.Contains(kept, at) && (r == nil || r.without == "") {
			p.results[at] = &result{without: why}
		}
	}
}

// bestValue is the value with which a judge names the step that it chooses.
const bestValue = "best"

// judged is the step that the judge has chosen; false while there is none.
func (p *planner) judged(made []int) (chosen int, ok bool) {
	names := make([]string, len(made))
	for i, at := range made {
		names[i] = p.Workflow.StepName(at)
	}
	judge := len(p.Workflow.Steps)
	for key, c := range p.calls {
		if key.Place == judge && c.State == Done && !key.Asks && !slices.Contains(names, textOf(c.Values[bestValue])) {
			c.State, c.Why = Failed, "The choice is none of the names."
			p.calls[key] = c
		}
	}
	r := p.agent(judge, 1, job{
		task: "Several agents were given the same work. What they have handed back is in the inputs, by name. Choose what does the work best." +
			" Hand back best: its name, which is one of " + strings.Join(names, ", ") + ".",
		outputs: map[string]string{bestValue: "string"},
		inputs:  func() map[string]any { return p.inputsOf(made, nil) },
	})
	switch {
	case r == nil:
		return 0, false
	case r.without != "":
		return made[0], true // a person goes on without a judge
	default:
		return made[slices.Index(names, textOf(r.Values[bestValue]))], true
	}
}

func textOf(value json.RawMessage) string {
	var text string
	_ = json.Unmarshal(value, &text) // another type is no text
	return text
}

func isTrue(value json.RawMessage) bool {
	var yes bool
	return json.Unmarshal(value, &yes) == nil && yes
}

// What a leader is told besides its task.
const (
	leadsTeam = "\n\nYou lead this work: hand parts of it to the agents in the input team, each for what is said of it there, " +
		"several at once where they do not depend on each other, and put what they hand back together."
	leadsAll = "\n\nYou lead this work: hand parts of it to the agents that fit, several at once where they do not depend on each other, " +
		"and put what they hand back together."
)

// member is an agent of a team, and what it is for.
type member struct {
	Agent string `json:"agent"`
	For   string `json:"for"`
}

// led settles a workflow whose first step's agent leads. What the others hand back stands in
// its result.
func (p *planner) led(lead int, others []int) bool {
	j := p.taskOf(lead)
	j.task += leadsAll
	if p.Workflow.Kind == agent.FlowHierarchy {
		j.task = p.Workflow.Steps[lead].Task + leadsTeam
		team := make([]member, len(others))
		for i, at := range others {
			team[i] = member{p.Workflow.Steps[at].Agent, p.Workflow.Steps[at].Task}
		}
		j.inputs = func() map[string]any { return p.inputs(lead, map[string]any{"team": team}) }
	}
	if p.results[lead] = p.agent(lead, 1, j); p.results[lead] == nil {
		return false
	}
	for _, at := range others {
		p.results[at] = &result{without: "What it has done is in the result of " + p.Workflow.StepName(lead) + "."}
	}
	return true
}

// Team are the agents that the run of a call may hand tasks to, nil for any. leads says that it
// may do so whatever tools its agent has.
func Team(w agent.Workflow, callID string) (team []string, leads bool) {
	key, ok := KeyOf(callID)
	first := w.First()
	if w.Kind != agent.FlowHierarchy && w.Kind != agent.FlowDynamic || !ok || key.Place != first[0] {
		return nil, false
	}
	if w.Kind == agent.FlowDynamic {
		return nil, true
	}
	team = []string{}
	for _, at := range first[1:] {
		if name := w.Steps[at].Agent; !slices.Contains(team, name) {
			team = append(team, name)
		}
	}
	return team, true
}
