package workflow

import (
	"encoding/json"
	"maps"
	"slices"

	"fusebox/agent"
)

// maxAgain bounds how often a person may have a step made again in a round.
const maxAgain = 5

// job is what an agent is to do.
type job struct {
	task    string
	outputs map[string]string
	inputs  func() map[string]any
	// optional says that the others go on without it where it fails.
	optional bool
}

// stepAt is the step at a place, the judge's included.
func (p *planner) stepAt(at int) agent.WorkflowStep {
	if at == len(p.Workflow.Steps) {
		return agent.WorkflowStep{Name: judgeName, Agent: p.Workflow.Judge, Retries: 1}
	}
	step := p.Workflow.Steps[at]
	step.Name = p.Workflow.StepName(at)
	return step
}

// taskOf is the job of a step that begins with what it needs.
func (p *planner) taskOf(at int) job {
	step := p.Workflow.Steps[at]
	j := job{task: step.Task, outputs: step.Outputs, inputs: func() map[string]any { return p.inputs(at, nil) }}
	for other := range p.Workflow.Steps {
		if slices.Contains(p.Workflow.Needs(other), at) {
			return j
		}
	}
	if all := maps.Clone(p.Outputs); all != nil { // nothing needs the step: it delivers for the run, too, as long as that fits
		if maps.Copy(all, step.Outputs); len(all) <= agent.MaxOutputs {
			j.outputs = all
		}
	}
	return j
}

// agent has an agent do a step of a round: again where it fails, then another agent, then as
// a person says. nil is a step that is not settled.
func (p *planner) agent(at, round int, j job) *result {
	if r := p.given(at); r != nil && round == 1 {
		return r
	}
	step := p.stepAt(at)
	who, left, fallback, again := step.Agent, step.Retries, step.Fallback, 0
	for try := 1; ; try++ {
		key := Key{Place: at, Round: round, Try: try}
		c, made := p.calls[key]
		if !made {
			p.begin = append(p.begin, Begin{Key: key, Step: step.Name, Delegate: &Delegate{
				Agent: who, Task: j.task, Inputs: j.inputs(), Outputs: j.outputs,
			}})
			return nil
		}
		switch c = checked(c, j.outputs); {
		case c.State == Open:
			return nil
		case c.State == Done:
			return &result{StepResult: c.StepResult}
		case c.State == Refused:
			p.stop(agent.StatusStopped, agent.StopRejected, "A person refused the step "+step.Name+".")
			return nil
		case left > 0 && !c.Futile:
			left--
			continue
		case fallback != "" && !c.Stopped:
			who, left, fallback = fallback, 0, ""
			continue
		case j.optional:
			return &result{without: c.Why}
		}
		switch p.askAbout(key, step.Name, c.Why, again < maxAgain) {
		case againAnswer:
			again++
			who = step.Agent
		case withoutAnswer:
			return &result{without: c.Why}
		default:
			return nil
		}
	}
}

// checked is a call that has failed where a declared output is missing or of another type.
func checked(c Call, outputs map[string]string) Call {
	if c.State != Done {
		return c
	}
	var lacks []string
	for name, kind := range outputs {
		var v any
		if value, ok := c.Values[name]; !ok || json.Unmarshal(value, &v) != nil || !agent.OutputTypes[kind](v) {
			lacks = append(lacks, name)
		}
	}
	if len(lacks) > 0 {
		slices.Sort(lacks)
		c.State, c.Why = Failed, missing(lacks)
	}
	return c
}

// What a person may say of a step that has failed.
type saidOfFailure int

const (
	notSaid saidOfFailure = iota
	againAnswer
	withoutAnswer
)

// askAbout asks a person what is to become of a step that has failed. What else they say than
// to go on ends the run.
func (p *planner) askAbout(failed Key, step, why string, mayAgain bool) saidOfFailure {
	key := Key{Place: failed.Place, Round: failed.Round, Try: failed.Try, Asks: true}
	c, made := p.calls[key]
	if !made {
		options := []string{p.words.without, p.words.stop}
		if mayAgain {
			options = append([]string{p.words.again}, options...)
		}
		p.ask(key, step, p.words.failed(step, why), options)
		return notSaid
	}
	switch {
	case c.State == Open:
		return notSaid
	case c.State == Done && c.Answer == p.words.again:
		return againAnswer
	case c.State == Done && c.Answer == p.words.without:
		return withoutAnswer
	case c.State == Failed:
		p.stop(agent.StatusFailed, agent.StopConsecutiveErrors, "The step "+step+" has failed: "+reasonFor(agent.English, why))
	default:
		p.stop(agent.StatusStopped, agent.StopRejected, "The step "+step+" has failed, and a person stopped the run.")
	}
	return notSaid
}

// ask puts a question with options before a person.
func (p *planner) ask(key Key, step, question string, options []string) {
	p.begin = append(p.begin, Begin{Key: key, Step: step, Ask: &Ask{Question: question, Options: options, FreeText: new(false)}})
}
