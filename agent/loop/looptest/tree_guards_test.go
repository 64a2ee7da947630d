package looptest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// turnstile lets two runs make their calls in turns, until one of them makes no more.
type turnstile struct {
	mu      sync.Mutex
	changed chan struct{}
	made    map[string]int
	over    map[string]bool
}

// enter waits until no other run is behind the one that calls.
func (s *turnstile) enter(ctx context.Context, run string) {
	s.mu.Lock()
	s.made[run]++
	s.wake()
	for s.ahead(run) && ctx.Err() == nil {
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		s.mu.Lock()
	}
	s.mu.Unlock()
}

func (s *turnstile) leave(run string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over[run] = true
	s.wake()
}

func (s *turnstile) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *turnstile) ahead(run string) bool {
	for other, n := range s.made {
		if other != run && !s.over[other] && n < s.made[run] {
			return true
		}
	}
	return len(s.made) == 1 && len(s.over) == 0
}

func looks(n int, args string) []agenttest.Turn {
	var turns []agenttest.Turn
	for i := range n {
		turns = append(turns, agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call(fmt.Sprint("k", i), "look", args)}})
	}
	return append(turns, agenttest.Turn{Text: "I have seen it."})
}

// Two siblings make one call in turns. Neither makes it often enough for its own window.
func TestSiblingsInTurns(t *testing.T) {
	t.Parallel()
	w := newTree(t, map[string][]agenttest.Turn{"scout": looks(7, `{"at":"x"}`), "scribe": looks(7, `{"at": "x"}`)},
		agenttest.Turn{Calls: []agent.CallRequest{delegateCall("1", "scout", "Look at x."), delegateCall("2", "scribe", "Write of x.")}},
		agenttest.Turn{Text: "Both are done."})
	gate := &turnstile{changed: make(chan struct{}), made: map[string]int{}, over: map[string]bool{}}
	w.tools.do["look"] = func(ctx context.Context, in agent.ToolInput) agent.ToolResult {
		gate.enter(ctx, in.RunID)
		return agent.ToolResult{Content: "one"}
	}
	w.beforeAdvance = func(root string) {
		w.beforeAdvance = nil
		w.must(w.runner.Loop.Advance(t.Context(), w.claimed()))
		var both sync.WaitGroup
		for range 2 {
			run := w.claimed()
			both.Go(func() {
				defer gate.leave(run.ID)
				if err := w.runner.Loop.Advance(agenttest.Context(t), run); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
	}
	root := w.post("See to x.")
	if root.Status != agent.StatusPaused {
		t.Fatalf("the root is %s", root.Status)
	}
	cards, _, err := w.store.Approvals(t.Context(), rex, agent.ApprovalFilter{Status: agent.ApprovalPending}, agent.Page{})
	w.must(err)
	if len(cards) == 0 || len(w.tools.runs) > 9 {
		t.Fatalf("%d cards after %d calls", len(cards), len(w.tools.runs))
	}
	card := cards[0]
	ev, err := card.LoopEvidence()
	w.must(err)
	if ev.Detector != "tree_repeat" || ev.Count < 8 || card.Agent == "" || card.RunID == root.ID {
		t.Errorf("the card of %q is about %s at %d", card.Agent, ev.Detector, ev.Count)
	}
	made := map[string]int{}
	for i, c := range ev.Calls {
		made[c.Agent]++
		if c.RunID == "" || c.N != i+1 || c.ToolName != "look" || c.Result != "one" && !c.Blocked {
			t.Errorf("call %d is %+v", i, c)
		}
	}
	if last := ev.Calls[len(ev.Calls)-1]; made["scout"] < 3 || made["scribe"] < 3 || last.RunID != card.RunID || last.ToolCallID != card.ToolCallID {
		t.Errorf("the calls are those of %v, the last %+v", made, last)
	}
	for _, c := range cards {
		w.decide(rex, c.ID, agent.Decision{Verb: agent.DecideResume, Answer: agent.ResumeFinishNow})
	}
	if root = w.advance(root.ID); root.Status != agent.StatusFinished {
		t.Errorf("the root is %s", root.Status)
	}
}

// Eight tasks in other words, for one agent that sees the same each time.
func TestChildrenThatFindNothingNew(t *testing.T) {
	t.Parallel()
	script := []agenttest.Turn{
		{Calls: []agent.CallRequest{agenttest.Call("x", "look", `{"at":"x"}`), agenttest.Call("y", "look", `{"at":"y"}`)}},
		{Text: "It is neither at x nor at y."},
	}
	var turns []agenttest.Turn
	for i, task := range strings.Fields("find seek look search locate spot trace discover") {
		turns = append(turns, agenttest.Turn{Calls: []agent.CallRequest{delegateCall(fmt.Sprint(i), "scout", "Please "+task+" it")}})
	}
	w := newTree(t, map[string][]agenttest.Turn{"scout": script}, append(turns, agenttest.Turn{Text: "It is not there."})...)
	root := w.post("Where is it?")
	card := w.card()
	ev, err := card.LoopEvidence()
	w.must(err)
	if ev.Detector != "idle_delegation" || ev.Count != 8 || card.RunID != root.ID || card.ToolName != agent.DelegateTool || len(w.tree(root.ID)) != 8 {
		t.Fatalf("the card is about %s at %d, with %d runs", ev.Detector, ev.Count, len(w.tree(root.ID)))
	}
	for i, c := range ev.Calls {
		if c.RunID != root.ID || c.N != i+1 || c.ToolName != agent.DelegateTool {
			t.Errorf("call %d is %+v", i, c)
		}
	}
	if got := strings.Join(w.verdicts(), ", "); got != "warning idle_delegation @5, critical idle_delegation @8" {
		t.Errorf("the breakers said %s", got)
	}
	w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideResume, Answer: agent.ResumeFinishNow})
	if root = w.advance(root.ID); root.Status != agent.StatusFinished {
		t.Errorf("the root is %s", root.Status)
	}
}

// countingTree counts how often the calls of a tree are read.
type countingTree struct {
	agent.Journal
	reads *int
}

func (j countingTree) TreeCalls(ctx context.Context, rootRunID string, limit int) ([]agent.TreeCall, error) {
	*j.reads++
	return j.Journal.TreeCalls(ctx, rootRunID, limit)
}

// A run that is alone reads no other one's calls, a child those of its tree once for each answer.
func TestReadsOfTheTree(t *testing.T) {
	t.Parallel()
	scout := map[string][]agenttest.Turn{"scout": {
		{Calls: []agent.CallRequest{agenttest.Call("a", "look", `{"at":"a"}`), agenttest.Call("b", "look", `{"at":"b"}`)}},
		{Text: "Nothing is there."},
	}}
	for _, tc := range []struct {
		name  string
		turns []agenttest.Turn
		want  int
	}{
		{"alone", looks(4, `{"at":"x"}`), 0},
		{"two children with one answer each", []agenttest.Turn{
			{Calls: []agent.CallRequest{delegateCall("1", "scout", "Look at a."), delegateCall("2", "scout", "Look at b.")}}, {Text: "Nothing."},
		}, 2},
		{"and a look of its own", []agenttest.Turn{
			{Calls: []agent.CallRequest{delegateCall("1", "scout", "Look at a.")}}, looks(1, `{"at":"x"}`)[0], {Text: "Nothing."},
		}, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newTree(t, scout, tc.turns...)
			reads := 0
			w.runner.Loop.Journal = countingTree{w.runner.Loop.Journal, &reads}
			if run := w.post("Look."); run.Status != agent.StatusFinished || reads != tc.want {
				t.Errorf("the run is %s after %d reads, want %d", run.Status, reads, tc.want)
			}
		})
	}
}

// byTask is a model whose calls name their run's task.
type byTask struct{ *agenttest.Provider }

func (p byTask) Complete(ctx context.Context, req agent.Request, sink func(agent.Delta) error) (agent.Completion, error) {
	task := strings.NewReplacer("TASK", req.Messages[0].Content)
	done, err := p.Provider.Complete(ctx, req, func(d agent.Delta) error {
		d.Text = task.Replace(d.Text)
		return sink(d)
	})
	done.Calls = slices.Clone(done.Calls)
	for i := range done.Calls {
		done.Calls[i].Arguments = task.Replace(done.Calls[i].Arguments)
	}
	return done, err
}

// Each of twenty children reads one guide and writes a file of its own: in one answer, and in
// one after the other.
func TestHonestChildren(t *testing.T) {
	t.Parallel()
	script := []agenttest.Turn{
		{Calls: []agent.CallRequest{agenttest.Call("l", "look", `{"at":"guide"}`)}},
		{Calls: []agent.CallRequest{agenttest.Call("s", "save", `{"to":"TASK"}`)}},
		{Calls: []agent.CallRequest{agenttest.Call("m", "look", `{"at":"guide"}`)}},
		{Text: "It is written as the guide says."},
	}
	var atOnce, inRow []agenttest.Turn
	var calls []agent.CallRequest
	for i := range 20 {
		call := delegateCall(fmt.Sprint(i), "scribe", fmt.Sprintf("part %d", i))
		calls, inRow = append(calls, call), append(inRow, agenttest.Turn{Calls: []agent.CallRequest{call}})
	}
	atOnce = append(atOnce, agenttest.Turn{Calls: calls})
	for name, turns := range map[string][]agenttest.Turn{"at once": atOnce, "one after the other": inRow} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTree(t, map[string][]agenttest.Turn{"scribe": script}, append(turns, agenttest.Turn{Text: "All is written."})...)
			w.runner.Loop.Provider = byTask{w.model}
			w.must(w.store.AddPolicyRule(t.Context(), admina, agent.PolicyRule{
				ID: "save", Tool: "save", Action: agent.ActionAllow, Reason: "Files are harmless.", Source: agent.RuleFromAdmin, CreatedAt: w.clock.Now(),
			}))
			root := w.post("Write it all.")
			if said := w.verdicts(); root.Status != agent.StatusFinished || len(w.tree(root.ID)) != 21 || len(w.tools.runs) != 60 || len(said) > 0 {
				t.Errorf("the root is %s after %d runs and %d calls; the breakers said %v", root.Status, len(w.tree(root.ID)), len(w.tools.runs), said)
			}
		})
	}
}

// A child that repeats itself is paused by its own window, and its card says who it is. Its
// sibling goes on, and the root has counted nothing.
func TestChildRepeatsItself(t *testing.T) {
	t.Parallel()
	w := newTree(t, map[string][]agenttest.Turn{"scout": looks(20, `{"at":"x"}`), "scribe": looks(1, `{"at":"y"}`)},
		agenttest.Turn{Calls: []agent.CallRequest{delegateCall("1", "scout", "Look at x."), delegateCall("2", "scribe", "Look at y.")}},
		agenttest.Turn{Text: "Both are done."})
	root := w.post("See to it.")
	card := w.card()
	ev, err := card.LoopEvidence()
	w.must(err)
	if ev.Detector != "generic_repeat" || ev.Count != 8 || len(ev.Calls) != 8 || card.Agent != "scout" {
		t.Fatalf("the card of %q is about %s at %d with %d calls", card.Agent, ev.Detector, ev.Count, len(ev.Calls))
	}
	for _, c := range ev.Calls {
		if c.RunID != card.RunID || c.Agent != "scout" {
			t.Errorf("call %d is of %q in run %q", c.N, c.Agent, c.RunID)
		}
	}
	for _, r := range w.tree(root.ID) {
		if want := map[string]agent.Status{"": agent.StatusPaused, "scout": agent.StatusPaused, "scribe": agent.StatusFinished}[r.Agent]; r.Status != want || r.Agent == "" && len(r.State.Trips) > 0 {
			t.Errorf("the run of %q is %s with streaks %v", r.Agent, r.Status, r.State.Trips)
		}
	}
}
