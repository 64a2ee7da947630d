package workflow

import (
	"cmp"
	"encoding/json"
	"slices"

	"fusebox/agent"
)

// judgeName is the name of the step that chooses for agent.JoinBest.
const judgeName = "judge"

// compare orders the calls of a step as they were made: a question about a try follows it.
func (k Key) compare(b Key) int {
	asks := 0
	switch {
	case k.Asks && !b.Asks:
		asks = 1
	case b.Asks && !k.Asks:
		asks = -1
	}
	return cmp.Or(cmp.Compare(k.Round, b.Round), cmp.Compare(k.Try, b.Try), asks)
}

// seenChecked is a call that has failed where what it has handed back is of another type. What its
// result leaves out for its length counts as handed back.
func seenChecked(call Call, c agent.ToolCall) Call {
	var res agent.DelegateResult
	var asked Delegate
	if call.State != Done || c.Name != agent.DelegateTool || json.Unmarshal([]byte(c.Result), &res) != nil || res.More != "" {
		return call
	}
	_ = json.Unmarshal(agent.RawArgs(c.Args), &asked) // CallOf has read them
	return checked(call, asked.Outputs)
}

// needs are the steps after which the one at a place begins, those of the form included: a reviewer
// begins after the worker, and a team after the one that leads it.
func (p *watching) needs(at int) []int {
	first := p.Workflow.First()
	if lead, led := p.leadOf(at); led {
		return []int{lead}
	}
	if p.Workflow.Kind == agent.FlowLoop && len(first) > 1 && at == first[1] {
		return first[:1]
	}
	return p.Workflow.Needs(at)
}

// leadOf is the step whose agent hands the work of the one at a place over.
func (p *watching) leadOf(at int) (lead int, led bool) {
	if p.Workflow.Kind != agent.FlowHierarchy && p.Workflow.Kind != agent.FlowDynamic {
		return 0, false
	}
	first := p.Workflow.First()
	return first[0], at != first[0] && slices.Contains(first, at)
}

// settleIdle settles the steps that wait, where nothing begins them any more, and has a reviewer
// wait again while the work is being redone.
func (p *watching) settleIdle(steps []Step) {
	if first := p.Workflow.First(); p.Workflow.Kind == agent.FlowLoop && len(first) > 1 && !p.Run.Status.Ended() {
		if p.lastRound(first[0]) > p.lastRound(first[1]) && steps[first[1]].State.Settled() {
			steps[first[1]].State = StepWaiting
		}
	}
	for at := range steps {
		s := &steps[at]
		lead, led := p.leadOf(at)
		switch {
		case s.State != StepWaiting:
		case p.settlesItself(at, steps):
			s.State = StepDone
		case p.Run.Status.Ended(),
			at == len(p.Workflow.Steps) && p.formOver(steps),        // the judge was not needed: what follows has begun
			led && steps[lead].State.Settled() && p.formOver(steps): // the one that leads is done without the step
			s.State = StepSkipped
		}
	}
}

func (p *watching) lastRound(at int) (round int) {
	for _, c := range p.byPlace[at] {
		round = max(round, c.Key.Round)
	}
	return round
}

// settlesItself reports whether a person has nothing to choose, because there is one result alone.
func (p *watching) settlesItself(at int, steps []Step) bool {
	if at >= len(p.Workflow.Steps) {
		return false
	}
	of := p.Workflow.Steps[at]
	if of.Person != agent.PersonChooses || len(of.Options) > 0 {
		return false
	}
	done := 0
	for _, need := range p.Workflow.Needs(at) {
		switch {
		case steps[need].State == StepDone:
			done++
		case !steps[need].State.Settled():
			return false
		}
	}
	return done == 1
}

// formOver reports whether a step has begun that needs others: those that need none are settled.
func (p *watching) formOver(steps []Step) bool {
	if p.Run.Status.Ended() {
		return true
	}
	first := p.Workflow.First()
	for at := range p.Workflow.Steps {
		if !slices.Contains(first, at) && steps[at].State != StepWaiting && !steps[at].TakenOver {
			return true
		}
	}
	return false
}

// most is what the run and the runs below it can come to: what its own limit says, or those of the
// agents whose steps are still to be made, where that is less. What people have made again on top counts once it is made.
func (p *watching) most(steps []Step) *int64 {
	most, limited := p.spent, true
	for at := range steps {
		more, known := p.mayTake(at, steps)
		most, limited = most+more, limited && known
	}
	if own := p.Run.Limits.CostMicros; own > 0 && !p.Run.Status.Ended() && (!limited || own < most) {
		most, limited = max(own, p.spent), true
	}
	if !limited {
		return nil
	}
	return &most
}

// mayTake is what a step may still cost; false where nothing limits it.
func (p *watching) mayTake(at int, steps []Step) (micros int64, known bool) {
	s := steps[at]
	if _, led := p.leadOf(min(at, len(p.Workflow.Steps)-1)); p.Run.Status.Ended() || s.Person != "" || s.TakenOver || led && at < len(p.Workflow.Steps) {
		return 0, true
	}
	rounds := 1 // in which it is made at most, retries aside
	if kind := p.Workflow.Kind; (kind == agent.FlowLoop || kind == agent.FlowMesh) && slices.Contains(p.Workflow.First(), at) {
		rounds = p.Workflow.MaxRounds()
	}
	if s.State.Settled() && (rounds == 1 || p.formOver(steps)) {
		return 0, true
	}
	of := agent.WorkflowStep{Agent: s.Agent, Retries: 1} // the judge's
	if at < len(p.Workflow.Steps) {
		of = p.Workflow.Steps[at]
	}
	each := p.Limit(of.Agent)
	if each == 0 {
		return 0, false
	}
	each *= int64(1 + of.Retries)
	if of.Fallback != "" {
		last := p.Limit(of.Fallback)
		if last == 0 {
			return 0, false
		}
		each += last
	}
	return max(each*int64(rounds)-s.CostMicros, 0), true
}
