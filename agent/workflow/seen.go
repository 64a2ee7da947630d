package workflow

import (
	"slices"

	"fusebox/agent"
)

// StepState says how far a step is.
type StepState string

// The states of steps.
const (
	// StepWaiting is a step that has not begun.
	StepWaiting StepState = "waiting"
	StepRunning StepState = "running"
	// StepAwaitsPerson is one for which a person has to do something.
	StepAwaitsPerson StepState = "awaiting_person"
	StepDone         StepState = "done"
	StepFailed       StepState = "failed"
	// StepStopped is one that was ended before it was done: others were enough, or a person stopped it.
	StepStopped StepState = "stopped"
	// StepSkipped is one that the run has ended, or gone on, without.
	StepSkipped StepState = "skipped"
)

// Settled reports whether nothing more comes of the step by itself.
func (s StepState) Settled() bool {
	return s != StepWaiting && s != StepRunning && s != StepAwaitsPerson
}

// Step is how a step of a run stands.
type Step struct {
	Name   string
	Agent  string // "" for a person's
	Person agent.PersonStep
	State  StepState
	// Needs are the steps that it begins after, by name.
	Needs []string
	// Runs are those that its agents have made it in, Tries how often they have.
	Runs  []string
	Tries int
	// CostMicros is what those runs, and the runs below them, have cost.
	CostMicros int64
	// TakenOver says that its result is that of an earlier run.
	TakenOver bool
	// Judges says that it chooses among the others, and is none that the workflow defines.
	Judges bool
}

// MayAgain reports whether a run that has ended can be gone back to the step.
func (s Step) MayAgain() bool { return !s.Judges && (s.State == StepDone || s.State == StepFailed) }

// Progress is how the steps of a run stand.
type Progress struct {
	Steps      []Step
	CostMicros int64 // of the run and all runs below it
	// MaxCostMicros is the most that this can come to, nil where nothing limits it.
	MaxCostMicros *int64
}

// Watched is what is known of a run that works by a workflow, for those who watch it.
type Watched struct {
	Workflow agent.Workflow
	Run      agent.Run
	// TakenOver are the names of the steps whose results are those of an earlier run.
	TakenOver []string
	Calls     []agent.ToolCall
	// Below are the runs below it, each behind the one that made it.
	Below []agent.Run
	// Asks reports whether one of them waits for a person.
	Asks func(runID string) bool
	// Limit is what a run of an agent may cost, 0 where nothing limits it.
	Limit func(name string) int64
}

// Progress says how the steps stand. It goes by the calls and runs that there are.
func (w Watched) Progress() Progress {
	p := watching{Watched: w, byPlace: map[int][]seenCall{}, costs: map[string]int64{}, above: map[string]string{}}
	p.read()
	n := len(w.Workflow.Steps)
	progress := Progress{Steps: make([]Step, 0, n+1), CostMicros: p.spent}
	for at := range n {
		progress.Steps = append(progress.Steps, p.step(at))
	}
	if w.Workflow.Join == agent.JoinBest {
		progress.Steps = append(progress.Steps, p.judge())
	}
	p.settleIdle(progress.Steps)
	progress.MaxCostMicros = p.most(progress.Steps)
	return progress
}

// seenCall is a call of a step with the runs that it has made.
type seenCall struct {
	Call
	state agent.CallState
	ended agent.ErrorType
	runID string // of the child, "" for none
}

// watching is a run while its progress is being found out.
type watching struct {
	Watched
	byPlace map[int][]seenCall
	costs   map[string]int64  // by run, with what is below it
	above   map[string]string // the run that made a run
	spent   int64
}

func (p *watching) read() {
	made := map[string]string{}
	for _, r := range p.Below {
		p.above[r.ID] = r.Lineage.ParentRunID
		if r.Lineage.ParentRunID == p.Run.ID {
			made[r.Lineage.ParentCallID] = r.ID
		}
	}
	p.spent = p.Run.CostMicros
	for _, r := range p.Below {
		p.spent += r.CostMicros
		for id := r.ID; id != "" && id != p.Run.ID; id = p.above[id] {
			p.costs[id] += r.CostMicros
		}
	}
	for _, c := range p.Calls {
		call, ok := CallOf(c, nil)
		if !ok {
			continue
		}
		call = seenChecked(call, c)
		p.byPlace[call.Key.Place] = append(p.byPlace[call.Key.Place], seenCall{Call: call, state: c.State, ended: c.ErrorType, runID: made[c.ID]})
	}
	for _, calls := range p.byPlace {
		slices.SortStableFunc(calls, func(a, b seenCall) int { return a.Key.compare(b.Key) })
	}
}

// step is how the step at a place stands, by its own calls.
func (p *watching) step(at int) Step {
	of := p.Workflow.Steps[at]
	s := Step{Name: p.Workflow.StepName(at), Agent: of.Agent, Person: of.Person, Needs: []string{}, Runs: []string{}}
	for _, need := range p.needs(at) {
		s.Needs = append(s.Needs, p.Workflow.StepName(need))
	}
	if lead, led := p.leadOf(at); led {
		return p.member(s, lead)
	}
	p.made(&s, at)
	if len(p.byPlace[at]) == 0 && slices.Contains(p.TakenOver, s.Name) {
		s.State, s.TakenOver = StepDone, true
	}
	return s
}

// judge is how the choice among the steps stands.
func (p *watching) judge() Step {
	s := Step{Name: judgeName, Agent: p.Workflow.Judge, Needs: []string{}, Runs: []string{}, Judges: true}
	for _, at := range p.Workflow.First() {
		s.Needs = append(s.Needs, p.Workflow.StepName(at))
	}
	p.made(&s, len(p.Workflow.Steps))
	return s
}

// made is what has come of the calls of a step.
func (p *watching) made(s *Step, at int) {
	calls := p.byPlace[at]
	s.State = StepWaiting
	if len(calls) == 0 {
		return
	}
	for _, c := range calls {
		if !c.Key.Asks {
			s.Tries++
		}
		if c.runID != "" {
			s.Runs = append(s.Runs, c.runID)
			s.CostMicros += p.costs[c.runID]
		}
		switch open := !c.state.Ended() && !p.Run.Status.Ended(); {
		case open && (c.state == agent.CallAwaiting || p.asksBelow(c.runID)):
			s.State = StepAwaitsPerson
		case open && s.State == StepWaiting:
			s.State = StepRunning
		}
	}
	if s.State != StepWaiting {
		return
	}
	last := calls[len(calls)-1]
	for i := len(calls) - 1; last.Key.Asks && i >= 0; i-- {
		last = calls[i] // what a person has said of a try is not what came of it
	}
	switch {
	case !last.state.Ended(), last.ended == agent.ErrCancelled:
		s.State = StepStopped
	case last.Call.State == Done:
		s.State = StepDone
	case last.Call.State == Refused && s.Person != "":
		s.State = StepSkipped
	default:
		s.State = StepFailed
	}
}

// asksBelow reports whether a run, or one below it, waits for a person.
func (p *watching) asksBelow(runID string) bool {
	if runID == "" || p.Asks == nil {
		return false
	}
	return slices.ContainsFunc(p.Below, func(r agent.Run) bool {
		for id := r.ID; id != ""; id = p.above[id] {
			if id == runID {
				return p.Asks(r.ID)
			}
		}
		return false
	})
}

// member is how a step of a team stands: its agent works for the one that leads.
func (p *watching) member(s Step, lead int) Step {
	s.State = StepWaiting
	states := map[StepState]bool{}
	for _, r := range p.Below {
		made := slices.ContainsFunc(p.byPlace[lead], func(c seenCall) bool { return c.runID != "" && c.runID == r.Lineage.ParentRunID })
		if !made || r.Agent != s.Agent {
			continue
		}
		s.Runs, s.Tries, s.CostMicros = append(s.Runs, r.ID), s.Tries+1, s.CostMicros+p.costs[r.ID]
		states[p.stateOf(r)] = true
	}
	for _, state := range []StepState{StepAwaitsPerson, StepRunning, StepDone, StepFailed, StepStopped} {
		if states[state] {
			s.State = state
			break
		}
	}
	return s
}

func (p *watching) stateOf(r agent.Run) StepState {
	switch {
	case !r.Status.Ended() && p.asksBelow(r.ID):
		return StepAwaitsPerson
	case !r.Status.Ended():
		return StepRunning
	case r.Status == agent.StatusFinished:
		return StepDone
	case r.Status == agent.StatusAborted:
		return StepStopped
	default:
		return StepFailed
	}
}
