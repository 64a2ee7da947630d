package workflow

import (
	"maps"
	"strings"

	"fusebox/agent"
)

// remarksValue is the value with which a reviewer says what has to change.
const remarksValue = "remarks"

// loop settles a worker and a reviewer once the reviewer accepts, which is a value and never a
// word in a text. When the rounds are over, a person decides.
func (p *planner) loop(worker, reviewer int) bool {
	if work, verdict := p.given(worker), p.given(reviewer); work != nil && verdict != nil {
		return p.looped(worker, reviewer, verdict)
	}
	rounds := p.Workflow.MaxRounds()
	var verdict *result
	for round := 1; ; round++ {
		work := p.agent(worker, round, p.workJob(worker, p.results[worker], verdict))
		if work == nil {
			return false
		}
		if work.without == "" || p.results[worker] == nil { // else that of the round before stays
			p.results[worker] = work
		}
		if verdict = p.agent(reviewer, round, p.reviewJob(reviewer, worker)); verdict == nil {
			return false
		}
		if verdict.without != "" || isTrue(verdict.Values[p.Workflow.AcceptValue()]) {
			return p.looped(worker, reviewer, verdict)
		}
		if round < rounds {
			continue
		}
		accepted, decided := p.askOfLoop(reviewer, round, rounds, verdict)
		switch {
		case !decided:
			return false
		case accepted:
			return p.looped(worker, reviewer, verdict)
		}
	}
}

// looped ends a loop. A verdict is no part of the answer.
func (p *planner) looped(worker, reviewer int, verdict *result) bool {
	if p.results[worker] == nil {
		p.results[worker] = p.given(worker)
	}
	verdict.within = true
	p.results[reviewer] = verdict
	return true
}

func (p *planner) workJob(at int, last, verdict *result) job {
	j := p.taskOf(at)
	if last == nil || verdict == nil {
		return j
	}
	j.task += "\n\nYour last work and what a reviewer says of it are in the inputs previous and remarks. Hand back the whole work again, with what was missing."
	j.inputs = func() map[string]any {
		remarks := textOf(verdict.Values[remarksValue])
		return p.inputs(at, map[string]any{"previous": handedOf(last), "remarks": &handed{Answer: remarks, run: verdict.RunID}})
	}
	return j
}

func (p *planner) reviewJob(at, worker int) job {
	step, accept := p.Workflow.Steps[at], p.Workflow.AcceptValue()
	j := job{
		task: step.Task + "\n\nYou review the work in the input " + p.Workflow.StepName(worker) + ". Hand back " + accept +
			": true if it can stay as it is, else false; and remarks: what has to change, \"\" if nothing has to.",
		outputs: map[string]string{},
		inputs:  func() map[string]any { return p.inputsOf([]int{worker}, nil) },
	}
	maps.Copy(j.outputs, step.Outputs)
	j.outputs[accept], j.outputs[remarksValue] = "boolean", "string"
	return j
}

// maxMoreRounds is how many rounds a person may add to a loop, one at a time.
const maxMoreRounds = agent.MaxWorkflowRounds

// askOfLoop asks a person about work that was not accepted in the last round.
func (p *planner) askOfLoop(reviewer, round, rounds int, verdict *result) (accepted, decided bool) {
	key, name := Key{Place: reviewer, Round: round, Asks: true}, p.Workflow.StepName(reviewer)
	c, made := p.calls[key]
	if !made {
		options := []string{p.words.accept, p.words.oneMore, p.words.stop}
		if round >= rounds+maxMoreRounds {
			options = []string{p.words.accept, p.words.stop}
		}
		p.ask(key, name, withText(p.words.unaccepted(name, round), textOf(verdict.Values[remarksValue])), options)
		return false, false
	}
	switch {
	case c.State == Open:
		return false, false
	case c.State == Done && c.Answer == p.words.accept:
		return true, true
	case c.State == Done && c.Answer == p.words.oneMore:
		return false, true
	case c.State == Failed:
		p.stop(agent.StatusFailed, agent.StopConsecutiveErrors, "Nobody could be asked in the step "+name+": "+c.Why)
	default:
		p.stop(agent.StatusStopped, agent.StopRejected, "The work was not accepted, and a person stopped the run.")
	}
	return false, false
}

// postValue is the value with which an agent adds to the board of a mesh.
const postValue = "post"

// mesh settles agents that add to a board in rounds, once all of them say in the same round that they are
// done, or the rounds are over.
func (p *planner) mesh(first []int) bool {
	if p.allGiven(first) {
		return true
	}
	var board []*post
	for round := 1; ; round++ {
		posts := make([]*result, len(first))
		open, done := false, true
		for i, at := range first {
			if posts[i] = p.agent(at, round, p.postJob(at, round, board)); posts[i] == nil {
				open = true
				continue
			}
			done = done && (posts[i].without != "" || isTrue(posts[i].Values[p.Workflow.AcceptValue()]))
		}
		for i, r := range posts {
			if r != nil {
				board = p.posted(first[i], round, r, board)
			}
		}
		switch p.board = board; {
		case open:
			return false
		case done, round == p.Workflow.MaxRounds():
			return true
		}
	}
}

// posted adds what a step has said in a round to the board, and keeps it as the step's result
// where it says something.
func (p *planner) posted(at, round int, r *result, board []*post) []*post {
	if r.without != "" {
		if p.results[at] == nil {
			p.results[at] = r
		}
		return board
	}
	said := textOf(r.Values[postValue])
	if r.earlier {
		said = r.Answer
	}
	if strings.TrimSpace(said) != "" || p.results[at] == nil {
		p.results[at] = &result{StepResult: agent.StepResult{RunID: r.RunID, Answer: said}, earlier: r.earlier}
	}
	return append(board, &post{Round: round, Step: p.Workflow.StepName(at), handed: handed{Answer: said, run: r.RunID}})
}

func (p *planner) allGiven(steps []int) bool {
	for _, at := range steps {
		if p.results[at] = p.given(at); p.results[at] == nil {
			return false
		}
	}
	return true
}

func (p *planner) postJob(at, round int, board []*post) job {
	step, accept := p.Workflow.Steps[at], p.Workflow.AcceptValue()
	j := job{
		task: step.Task + "\n\nYou work with others in rounds, on one board: the input board has what all of you have said so far, and round says which round this is. Hand back post: what you add to it, or answer to others; and " +
			accept + ": true if you have nothing to add after that, else false.",
		outputs: map[string]string{},
		inputs: func() map[string]any {
			return p.inputs(at, map[string]any{"board": board, "round": round, "rounds": p.Workflow.MaxRounds()})
		},
	}
	maps.Copy(j.outputs, step.Outputs)
	j.outputs[postValue], j.outputs[accept] = "string", "boolean"
	return j
}
