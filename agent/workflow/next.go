package workflow

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"fusebox/agent"
)

// Next is what comes next. The definition has to be one that its Check accepts.
func Next(s Situation) Move {
	p := plan(s)
	done := p.formed && !slices.Contains(p.results, nil)
	switch {
	case p.end != nil:
	case done:
		p.end = &End{Status: agent.StatusFinished, Reason: agent.StopGoal}
	default:
		return Move{Begin: p.begin, StopOthers: p.enough}
	}
	p.end.Answer, p.end.Values = p.answer()
	if done && p.end.Answer == "" && p.end.Status == agent.StatusFinished {
		p.end.Status, p.end.Reason, p.end.Because = agent.StatusFailed, agent.StopGoal, "No step has handed anything back."
	}
	return Move{End: p.end}
}

// SoFar is the answer of what there is, for a run that ends before its workflow does.
func SoFar(s Situation) (answer string, values map[string]json.RawMessage) { return plan(s).answer() }

// maxGiven bounds what a run takes over from an earlier one, in bytes.
const maxGiven = 256 << 10

// Results are those of the settled steps, by their places, for a run that begins with them. What
// is too long is left out: it is made again.
func Results(s Situation) map[int]agent.StepResult {
	p := plan(s)
	results, room := map[int]agent.StepResult{}, maxGiven
	for at, r := range p.results {
		if r != nil && r.without == "" && p.formed {
			if room -= len(agent.MustJSON(r.StepResult)); room < 0 {
				break
			}
			results[at] = r.StepResult
		}
	}
	return results
}

// Rerun returns the indexes of the steps that run again when the one at an index does: that step, the
// ones that only make sense together with it, and all that need any of these, directly or indirectly.
func Rerun(w agent.Workflow, at int) []int {
	again := []int{at}
	together := w.Join == agent.JoinBest // the steps that need no others have one result: one of them is chosen
	switch w.Kind {
	case agent.FlowLoop, agent.FlowMesh, agent.FlowHierarchy, agent.FlowDynamic: // they go round, or one of them leads
		together = true
	case agent.FlowSequence, agent.FlowParallel:
	}
	if first := w.First(); together && slices.Contains(first, at) {
		again = first
	}
	for grown := true; grown; {
		grown = false
		for other := range w.Steps {
			if slices.Contains(again, other) {
				continue
			}
			if slices.ContainsFunc(w.Needs(other), func(need int) bool { return slices.Contains(again, need) }) {
				again, grown = append(again, other), true
			}
		}
	}
	slices.Sort(again)
	return again
}

// planner finds out what comes next.
type planner struct {
	Situation
	words words
	calls map[Key]Call
	// results are those of the steps that are settled, nil for the others. looked marks those
	// that were looked at.
	results []*result
	looked  []bool
	// formed says that the steps of the form are settled: those that need them begin.
	formed bool
	board  []*post // of a mesh

	begin  []Begin
	enough bool
	end    *End
}

// result is what a settled step has come to.
type result struct {
	agent.StepResult
	// without says why there is no result, "" where there is one.
	without string
	// within says that what the step has handed back stands in the result of another one.
	within bool
	// earlier says that it is of an earlier run.
	earlier bool
}

// plan decides for all steps which are done, which can start, and which wait.
func plan(s Situation) *planner {
	p := &planner{
		Situation: s, words: wordsOf[agent.LanguageOf(s.Message)], calls: map[Key]Call{},
		results: make([]*result, len(s.Workflow.Steps)), looked: make([]bool, len(s.Workflow.Steps)),
	}
	for _, c := range s.Calls {
		p.calls[c.Key] = c
	}
	p.form()
	for at := range p.Workflow.Steps {
		p.settle(at)
	}
	return p
}

// stop ends the run before its workflow does.
func (p *planner) stop(status agent.Status, reason agent.StopReason, because string) {
	if p.end == nil {
		p.end = &End{Status: status, Reason: reason, Because: because}
	}
}

// settle finds out what a step has come to, nil where that is not known yet. It begins after
// the steps that it needs.
func (p *planner) settle(at int) *result {
	if p.looked[at] {
		return p.results[at]
	}
	p.looked[at] = true
	ready := true
	for _, need := range p.Workflow.Needs(at) {
		ready = p.settle(need) != nil && ready
	}
	if !ready || !p.formed {
		return nil
	}
	if p.Workflow.Steps[at].Person != "" {
		p.results[at] = p.person(at)
	} else {
		p.results[at] = p.agent(at, 1, p.taskOf(at))
	}
	return p.results[at]
}

func (p *planner) given(at int) *result {
	g, ok := p.Given[at]
	if !ok {
		return nil
	}
	return &result{StepResult: g, earlier: true}
}

// needed are the settled results that a step begins with, by its needs.
func (p *planner) needed(at int) (places []int) {
	for _, need := range p.Workflow.Needs(at) {
		if r := p.results[need]; r != nil && r.without == "" {
			places = append(places, need)
		}
	}
	return places
}

// answer is made of the settled results that no other settled one was made of.
func (p *planner) answer() (text string, values map[string]json.RawMessage) {
	used := make([]bool, len(p.results))
	for at, r := range p.results {
		if r == nil || r.without != "" {
			continue
		}
		for _, need := range p.Workflow.Needs(at) {
			used[need] = true
		}
	}
	var answers []string
	var last []int
	for at, r := range p.results {
		if r != nil && r.without == "" && !r.within && !used[at] {
			last = append(last, at)
		}
	}
	for _, at := range last {
		r := p.results[at]
		if values == nil {
			values = map[string]json.RawMessage{}
		}
		maps.Copy(values, r.Values)
		switch said := strings.TrimSpace(r.Answer); {
		case said == "" && len(r.Values) > 0:
			said = string(agent.MustJSON(r.Values))
			fallthrough
		case said != "":
			if len(last) > 1 {
				said = "## " + p.Workflow.StepName(at) + "\n\n" + said
			}
			answers = append(answers, said)
		}
	}
	return strings.Join(answers, "\n\n"), values
}
