package looptest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/service"
)

// legalMoves are all changes that a tool call may make: from, by, to.
var legalMoves = []string{
	" asked validating",
	"validating refused error", "validating allowed scheduled", "validating held awaiting_approval", "validating ended cancelled",
	"awaiting_approval released scheduled", "awaiting_approval rejected error", "awaiting_approval answered success",
	"awaiting_approval ended cancelled",
	"scheduled claimed executing", "scheduled held awaiting_approval", "scheduled refused error", "scheduled ended cancelled",
	"scheduled shared success", "scheduled shared error", "scheduled shared cancelled",
	"executing started executing", "executing returned success", "executing returned error", "executing returned cancelled", "executing unchanged scheduled",
	"executing repeated scheduled", "executing lost uncertain", "executing ended cancelled",
	"uncertain answered success", "uncertain released scheduled", "uncertain rejected error", "uncertain ended cancelled",
}

var (
	callStates = []agent.CallState{
		agent.CallValidating, agent.CallScheduled, agent.CallAwaiting, agent.CallExecuting, agent.CallSuccess, agent.CallError,
		agent.CallCancelled, agent.CallUncertain,
	}
	callEvents = []agent.CallEvent{
		agent.CallAsked, agent.CallRefused, agent.CallAllowed, agent.CallHeld, agent.CallReleased, agent.CallRejected,
		agent.CallAnswered, agent.CallClaimed, agent.CallStarted, agent.CallReturned, agent.CallUnchanged, agent.CallLost, agent.CallRepeated, agent.CallShared, agent.CallEnded,
	}
	// ways are how a call gets into each state.
	ways = map[agent.CallState][]string{
		"":                   {},
		agent.CallValidating: {" asked validating"},
		agent.CallScheduled:  {" asked validating", "validating allowed scheduled"},
		agent.CallAwaiting:   {" asked validating", "validating held awaiting_approval"},
		agent.CallExecuting:  {" asked validating", "validating allowed scheduled", "scheduled claimed executing"},
		agent.CallSuccess:    {" asked validating", "validating allowed scheduled", "scheduled claimed executing", "executing returned success"},
		agent.CallError:      {" asked validating", "validating refused error"},
		agent.CallCancelled:  {" asked validating", "validating ended cancelled"},
		agent.CallUncertain:  {" asked validating", "validating allowed scheduled", "scheduled claimed executing", "executing lost uncertain"},
	}
)

func moved(c agent.ToolCall, move string) agent.CallChange {
	part := strings.Split(move, " ")
	c.State = agent.CallState(part[2])
	return agent.CallChange{From: agent.CallState(part[0]), Event: agent.CallEvent(part[1]), Call: c}
}

// TestCallsMoveByTheTable tries every change that can be named, from a row that is
// where the change says: the store takes those of the table and no other, and
// nothing leaves a state that has a result.
func TestCallsMoveByTheTable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.store.Enqueue(t.Context(), agent.NewMessage{ConversationID: "c", UserID: ana.UserID, MessageID: "m", RunID: "r", Content: "go"})
	w.must(err)
	run, err := w.store.Claim(t.Context(), "test", time.Hour)
	w.must(err)
	tryAllMoves(t, w.store, run)
}

func tryAllMoves(t *testing.T, j agent.Journal, run *agent.Run) {
	t.Helper()
	write := func(changes ...agent.CallChange) error {
		_, err := j.Append(t.Context(), agent.Change{ConversationID: "c", RunID: run.ID, Epoch: run.Epoch, Calls: changes})
		return err
	}
	n := 0
	for _, from := range append([]agent.CallState{""}, callStates...) {
		for _, event := range callEvents {
			for _, to := range callStates {
				n++
				c := agent.ToolCall{ID: fmt.Sprint("call", n), RunID: run.ID, ConversationID: "c", MessageID: "m", Index: n, Name: "look"}
				move := fmt.Sprintf("%s %s %s", from, event, to)
				var before []agent.CallChange
				for _, step := range ways[from] {
					before = append(before, moved(c, step))
				}
				legal := slices.Contains(legalMoves, move)
				if change := moved(c, move); change.Legal() != legal {
					t.Errorf("%q: legal is %v, want %v", move, change.Legal(), legal)
				}
				// One entry: where the last change is refused, nothing is written.
				if err := write(append(before, moved(c, move))...); (err == nil) != legal {
					t.Errorf("%q: the journal says %v", move, err)
				}
				if legal && from.Ended() {
					t.Errorf("%q leaves a state that has a result", move)
				}
			}
		}
	}
}

// moves notes every change of calls that a journal has taken.
type moves struct {
	mu   sync.Mutex
	made []string
}

// noted is a journal whose changes are noted, with a hook before each entry.
type noted struct {
	agent.Journal
	m      *moves
	before func(e agent.Change) error
}

func (n noted) Append(ctx context.Context, e agent.Change) (agent.Committed, error) {
	if n.before != nil {
		if err := n.before(e); err != nil {
			return agent.Committed{}, err
		}
	}
	done, err := n.Journal.Append(ctx, e)
	if err == nil {
		n.m.mu.Lock()
		defer n.m.mu.Unlock()
		for _, c := range e.Calls {
			n.m.made = append(n.m.made, fmt.Sprintf("%s %s %s", c.From, c.Event, c.Call.State))
		}
	}
	return done, err
}

// changes reports whether an entry changes a call by an event.
func changes(e agent.Change, event agent.CallEvent) bool {
	return slices.ContainsFunc(e.Calls, func(c agent.CallChange) bool { return c.Event == event })
}

// TestEveryMoveIsMade: each change of the table is made by something that happens.
func TestEveryMoveIsMade(t *testing.T) {
	t.Parallel()
	m := &moves{}
	t.Run("scenarios", func(t *testing.T) {
		for name, scenario := range moveScenarios {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := &moveWorld{p: &ruled{}}
				s.world, _ = dictatedWorld(t, func(w *world) {
					w.runner.Loop.Journal = noted{w.store, m, func(e agent.Change) error {
						if s.before == nil {
							return nil
						}
						return s.before(e)
					}}
					s.p.Policy = w.runner.Loop.Policy
					w.runner.Loop.Policy = s.p
				})
				s.tools.specs = append(s.tools.specs, batchTools[:len(batchTools)-1]...)
				s.staff(rey, ada)
				scenario(s)
			})
		}
	})
	for _, move := range legalMoves {
		if !slices.Contains(m.made, move) {
			t.Errorf("nothing makes %q", move)
		}
	}
}

// moveWorld is a world in which a scenario plays.
type moveWorld struct {
	*world
	p      *ruled
	before func(e agent.Change) error
}

// asks sends a message that dictates one answer, given as tool names; each call's
// id is the name of its tool.
func (s *moveWorld) asks(tools ...string) *agent.Run {
	var calls []agent.CallRequest
	for i, name := range tools {
		id := name
		if slices.Contains(tools[:i], name) {
			id += " again"
		}
		calls = append(calls, agent.CallRequest{ID: id, Name: name, Arguments: `{"question":"?","of":"` + name + `"}`})
	}
	done, err := s.service.Post(s.t.Context(), ana, service.Post{ConversationID: "c", Content: message(calls)})
	s.must(err)
	return s.goesOn(done.RunID, s.t.Context())
}

// goesOn advances the run; a process whose plug is pulled has a successor.
func (s *moveWorld) goesOn(runID string, ctx context.Context) *agent.Run {
	for {
		run, err := s.store.Claim(s.t.Context(), "test", time.Minute)
		if agent.CodeOf(err) == agent.NotFound {
			break
		}
		s.must(err)
		if err = s.runner.Loop.Advance(ctx, run); errors.Is(err, errPulled) {
			s.before = nil
			s.restart()
			continue
		}
		s.must(err)
	}
	run, err := s.store.Run(s.t.Context(), ada, runID)
	s.must(err)
	return run
}

func (s *moveWorld) answers(dec agent.Decision) {
	run, by := s.card().RunID, rex
	if s.card().Kind == agent.KindQuestion {
		by = ana
	}
	s.decide(by, s.card().ID, dec)
	s.goesOn(run, s.t.Context())
}

func (s *moveWorld) aborts(run *agent.Run) {
	s.must(s.service.Abort(s.t.Context(), ana, run.ID))
	s.goesOn(run.ID, s.t.Context())
}

// inDoubt makes a call whose end nobody knows.
func (s *moveWorld) inDoubt() *agent.Run {
	s.tools.do["ping"] = func(context.Context, agent.ToolInput) agent.ToolResult {
		return agent.ToolResult{ErrorType: agent.ErrTimeout}
	}
	return s.asks("ping")
}
