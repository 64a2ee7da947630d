package present

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/views/text"
)

// below adds events of a child run.
func (s *script) below(parent, run string, step int, data ...agent.EventData) {
	s.add(run, step, data...)
	for i := len(s.events) - len(data); i < len(s.events); i++ {
		s.events[i].ParentRunID = parent
	}
}

// spawned begins a child run for a call, as a journal does.
func (s *script) spawned(parent, call, run, name, task string) {
	s.below(parent, run, 0,
		agent.RunStart{Model: "demo", Limits: agent.Limits{Steps: 6}, Agent: name, AgentVersion: 1, Task: task, ToolCallID: call},
		agent.MessageEvent{Message: agent.Message{ID: "task-" + run, RunID: run, Role: agent.FromUser, Content: task}})
}

var small = agent.StepFinish{Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 1000, OutputTokens: 200}}, CostMicros: 20_000}

func handsOver(id, name, task string) agent.CallRequest {
	return agent.CallRequest{ID: id, Name: agent.DelegateTool, Arguments: string(agent.MustJSON(map[string]string{"agent": name, "task": task}))}
}

func callStates(id string, states ...agent.CallState) (list []agent.EventData) {
	for _, s := range states {
		list = append(list, agent.ToolCallStateEvent{ToolCallID: id, State: s})
	}
	return list
}

// treeScript is a log in which a run hands two tasks over, one of them two levels down, whose
// command a person has to approve.
func treeScript() *script {
	s := newScript()
	s.said("root", "u1", "Tidy up")
	s.add("root", 0, agent.RunStart{Model: "demo", Limits: agent.Limits{Steps: 50, Tokens: 100_000}})
	calls := []agent.CallRequest{handsOver("d1", "lead", "Have the <log> tidied"), handsOver("d2", "writer", "Write a greeting"), handsOver("d3", "writer", "Write a farewell")}
	s.add("root", 1, agent.StepStart{MessageID: "m1"}, agent.ToolCallStart{ToolCallID: "d1", ToolName: agent.DelegateTool},
		agent.ToolCallDelta{ToolCallID: "d1", Delta: calls[0].Arguments}, answered("m1", "I hand it over.", calls...), small)
	for i, c := range calls {
		s.add("root", 1, callStates(c.ID, agent.CallValidating, agent.CallScheduled, agent.CallExecuting)...)
		s.spawned("root", c.ID, []string{"lead", "w1", "w2"}[i], []string{"lead", "writer", "writer"}[i], []string{"Have the <log> tidied", "Write a greeting", "Write a farewell"}[i])
	}
	s.add("root", 1, agent.RunPaused{Children: []string{"lead", "w1", "w2"}})

	s.below("root", "lead", 1, agent.StepStart{MessageID: "m2"}, agent.ReasoningDelta{ID: "m2", Delta: "Who could"}, agent.TextDelta{ID: "m2", Delta: "Hand does it."})
	s.below("root", "w1", 1, agent.StepStart{MessageID: "m3"}, agent.TextDelta{ID: "m3", Delta: "Hello"})
	s.below("root", "lead", 1, agent.ToolCallStart{ToolCallID: "d1", ToolName: agent.DelegateTool})
	lead := answered("m2", "Hand does it.", handsOver("d1", "hand", "Append CLEAN"))
	lead.Message.Reasoning = "Who could"
	s.below("root", "lead", 1, lead, small)
	s.below("root", "lead", 1, callStates("d1", agent.CallValidating, agent.CallScheduled, agent.CallExecuting)...)
	s.spawned("lead", "d1", "hand", "hand", "Append CLEAN")
	s.below("root", "lead", 1, agent.RunPaused{Children: []string{"hand"}})
	s.below("root", "w1", 1, agent.TextDelta{ID: "m3", Delta: " you"}, agent.PlanEvent{Steps: []agent.PlanStep{{Step: "Write", Status: agent.PlanInProgress}}},
		answered("m3", "Hello you"), small,
		agent.Finish{Status: agent.StatusFinished, StopReason: agent.StopGoal, Usage: small.Usage, CostMicros: small.CostMicros})
	s.add("root", 1, callStates("d2", agent.CallSuccess)...)
	s.add("root", 1, agent.ToolCallResult{ToolCallID: "d2", Result: `{"runId":"w1","status":"finished","answer":"Hello you"}`})

	args := `{"command":"echo CLEAN >> effects.log"}`
	s.below("lead", "hand", 1, agent.StepStart{MessageID: "m4"}, agent.ToolCallStart{ToolCallID: "d1", ToolName: "run_shell"}, agent.ToolCallDelta{ToolCallID: "d1", Delta: args},
		answered("m4", "", agent.CallRequest{ID: "d1", Name: "run_shell", Arguments: args}), small)
	s.below("lead", "hand", 1, callStates("d1", agent.CallValidating, agent.CallAwaiting)...)
	path := []agent.PathStep{{RunID: "root", Task: "Tidy up"}, {RunID: "lead", Agent: "lead", Task: "Have the <log> tidied"}, {RunID: "hand", Agent: "hand", Task: "Append CLEAN"}}
	s.below("lead", "hand", 1, agent.ApprovalRequestedEvent{
		ApprovalID: "a1", Kind: agent.KindTool, ToolCallID: "d1", Risk: agent.RiskHigh, Message: "It runs a program.", ArgsHash: "abc", Generation: 1, Agent: "hand", Path: path,
		Evidence: json.RawMessage(`{"effect":"exec","rule":"mode default","command":"echo CLEAN >> effects.log","cwd":"/w"}`),
	}, agent.RunPaused{ApprovalIDs: []string{"a1"}})
	s.below("root", "w2", 1, agent.StepStart{MessageID: "m5"}, answered("m5", "", agent.CallRequest{ID: "x", Name: "write_file", Arguments: `{"path":"a.txt"}`}), small,
		agent.GuardEvent{Level: "breaker", Detector: "max_steps", Count: 6, Message: "The step limit."},
		agent.Finish{Status: agent.StatusStopped, StopReason: agent.StopMaxSteps, Usage: small.Usage, CostMicros: small.CostMicros})
	s.add("root", 1, callStates("d3", agent.CallError)...)
	s.add("root", 1, agent.ToolCallResult{ToolCallID: "d3", Result: `{"runId":"w2","status":"stopped","partial":true}`, ErrorType: agent.ErrorType("stopped")})
	s.below("lead", "hand", 1, agent.ApprovalDecidedEvent{ApprovalID: "a1", Kind: "tool", ToolCallID: "d1", Decision: "approve", DecidedBy: "rex@example.org", UndoUntil: s.at.Add(math.MaxInt32)})
	s.below("lead", "hand", 1, agent.RunResumed{By: "rex@example.org"})
	s.below("lead", "hand", 1, callStates("d1", agent.CallScheduled, agent.CallExecuting, agent.CallSuccess)...)
	s.below("lead", "hand", 1, agent.ToolCallResult{ToolCallID: "d1", Result: "ok"})
	s.below("lead", "hand", 2, agent.StepStart{MessageID: "m6"}, answered("m6", "cleaned"), small,
		agent.Finish{Status: agent.StatusFinished, StopReason: agent.StopGoal, Usage: small.Usage})
	s.below("root", "lead", 1, callStates("d1", agent.CallSuccess)...)
	s.below("root", "lead", 2, agent.StepStart{MessageID: "m7"}, answered("m7", "All clean"), small,
		agent.Finish{Status: agent.StatusFinished, StopReason: agent.StopGoal, Usage: small.Usage})
	s.add("root", 1, callStates("d1", agent.CallSuccess)...)
	s.add("root", 2, agent.StepStart{MessageID: "m8"}, answered("m8", "Done, but for the farewell."), small,
		agent.Finish{Status: agent.StatusFinished, StopReason: agent.StopGoal, Usage: small.Usage})
	s.said("next", "u2", "Thanks")
	s.add("next", 0, agent.RunStart{Model: "demo"})
	return s
}

func foldTree() *Presenter {
	p := fold(agent.Conversation{ID: "c1", OwnerID: "o"}, true)
	p.LoopLimit = 8
	return p
}

// TestTreeLiveEqualsReload: a page with child runs that was open all the time and one that is
// loaded now are the same, at every point of the log.
func TestTreeLiveEqualsReload(t *testing.T) {
	t.Parallel()
	liveEqualsReload(t, treeScript().events, foldTree)
}

// TestTreeReconnectsAnywhere: a socket that comes back at any point of the log of a tree ends
// with the page that is loaded now.
func TestTreeReconnectsAnywhere(t *testing.T) {
	t.Parallel()
	log := treeScript().events
	loaded := transcript(log)
	end := foldTree()
	end.Replay(agent.Transcript{Events: loaded, From: 1}, int64(len(log)))
	want := markup(t, parse(t, shown(t, end)))
	for after := range len(log) {
		then := foldTree()
		then.Replay(agent.Transcript{Events: transcript(log[:after]), From: 1}, int64(after))
		opened := open(t, then)
		for name, rest := range map[string][]agent.Event{"whole": log[after:], "pruned": loaded} {
			socket := foldTree()
			socket.Replay(agent.Transcript{Events: loaded, From: 1}, int64(after))
			page := &browser{t: t, root: copied(opened.root)}
			for _, e := range rest {
				if e.Seq > int64(after) {
					page.apply(socket.Apply(e))
				}
			}
			if got := page.String(); got != want {
				t.Fatalf("%s log after %d (-reload +page):\n%s", name, after, cmp.Diff(want, got))
			}
		}
	}
}

// TestChildBeforeItsCall: a commit may tell of a child before it tells of the answer whose
// call made it.
func TestChildBeforeItsCall(t *testing.T) {
	t.Parallel()
	s := newScript()
	s.said("root", "u", "Go")
	s.add("root", 0, agent.RunStart{Model: "demo"})
	s.add("root", 1, agent.StepStart{MessageID: "m"})
	s.spawned("root", "d", "w", "writer", "Write")
	s.below("root", "w", 1, agent.StepStart{MessageID: "n"}, agent.TextDelta{ID: "n", Delta: "Hello"})
	s.add("root", 1, answered("m", "", handsOver("d", "writer", "Write")), small)
	s.add("root", 1, callStates("d", agent.CallExecuting)...)
	s.add("root", 1, agent.RunPaused{Children: []string{"w"}})
	page := liveEqualsReload(t, s.events, foldTree)
	if !strings.Contains(page, "run-w-s") || !strings.Contains(page, "Hello") {
		t.Errorf("the child has no card: %s", page)
	}
}

// treePage is the page once an event of a log has been told for the n-th time.
func treePage(t *testing.T, until func(agent.Event) bool) (*Presenter, string) {
	t.Helper()
	p := foldTree()
	for _, e := range treeScript().events {
		p.Replay(agent.Transcript{Events: []agent.Event{e}, From: 1}, e.Seq)
		if until(e) {
			return p, shown(t, p)
		}
	}
	t.Fatal("the log has no such event")
	return nil, ""
}

func pauses(run string) func(agent.Event) bool {
	return func(e agent.Event) bool { _, is := e.Data.(agent.RunPaused); return is && e.RunID == run }
}

func ends(run string) func(agent.Event) bool {
	return func(e agent.Event) bool { _, is := e.Data.(agent.Finish); return is && e.RunID == run }
}

func checkPage(t *testing.T, page string, has, hasNot []string) {
	t.Helper()
	for _, s := range has {
		if !strings.Contains(page, s) {
			t.Errorf("the page lacks %q", s)
		}
	}
	for _, s := range hasNot {
		if strings.Contains(page, s) {
			t.Errorf("the page has %q", s)
		}
	}
}

// TestRootSaysForWhomItWaits names the children, with links to their cards.
func TestRootSaysForWhomItWaits(t *testing.T) {
	t.Parallel()
	_, page := treePage(t, pauses("root"))
	link := func(call, name string) string {
		return fmt.Sprintf(`<a href="#%s">%s</a>`, toolElement("root", call), name)
	}
	checkPage(t, page, []string{
		"Waits for ", link("d1", "lead"), link("d2", "writer"), link("d3", "writer"), "waits for a place", "Have the &lt;log&gt; tidied", "/runs/lead/abort",
	}, []string{"tool-group", "<log>"})
}

// TestChildCardAsksOnceEverywhere: the approval of a run two levels down is in its transcript
// and at the end of the page's, once each, and says who asks for whom.
func TestChildCardAsksOnceEverywhere(t *testing.T) {
	t.Parallel()
	_, page := treePage(t, pauses("hand"))
	checkPage(t, page, []string{
		"hand waits for your decision", `href="#a-a1"`, "echo CLEAN", "main chat", "Tidy up", "waits for you", "waits for hand", `data-status="paused"`, "stop-ask",
	}, nil)
	for _, id := range []string{`id="a-a1"`, `id="own-a-a1"`} {
		if n := strings.Count(page, id); n != 1 {
			t.Errorf("%d elements with %s", n, id)
		}
	}
	own, docked := strings.Index(page, `id="own-a-a1"`), strings.Index(page, `id="a-a1"`)
	if own > docked {
		t.Error("the card of the child stands above its transcript")
	}
	p := NewFold(text.In(context.Background()), agent.Conversation{ID: "c1"}, true, func(agent.Approval) bool { return false })
	for _, e := range treeScript().events {
		if p.Apply(e); pauses("hand")(e) {
			break
		}
	}
	checkPage(t, shown(t, p), []string{"hand waits for a decision"}, []string{"your decision", "/decision"})
}

// TestDecidedCardStaysWithItsChild: a card that needs nobody any more leaves the end of the page.
func TestDecidedCardStaysWithItsChild(t *testing.T) {
	t.Parallel()
	_, page := treePage(t, func(e agent.Event) bool { _, is := e.Data.(agent.ApprovalDecidedEvent); return is })
	checkPage(t, page, []string{`id="a-a1"`, `id="own-a-a1"`, "/approvals/a1/undo"}, []string{"waits for your decision"})
	_, page = treePage(t, func(e agent.Event) bool {
		d, is := e.Data.(agent.ToolCallStateEvent)
		return is && e.RunID == "hand" && d.State == agent.CallExecuting
	})
	checkPage(t, page, []string{`id="own-a-a1"`}, []string{`id="a-a1"`, "/approvals/a1/undo"})
}

// TestEndedChildIsFolded: of a child that has ended, the page has its head alone, which says
// how it ended.
func TestEndedChildIsFolded(t *testing.T) {
	t.Parallel()
	p, page := treePage(t, ends("root"))
	checkPage(t, page, []string{
		`data-path="/c/c1/runs/lead"`, `data-path="/c/c1/runs/w2"`, "stopped: step limit", "done", "Done, but for", `href="/runs/w1"`,
	}, []string{"Hello you</p>", "cleaned", "own-a-a1", "/abort"})
	if p.Run.steps != 2 {
		t.Errorf("the root has %d steps of its own", p.Run.steps)
	}
	if got, want := p.Run.usedTokens+p.Run.belowTokens, int64(1200+6*1200); got != want {
		t.Errorf("the tree took %d tokens, want %d", got, want)
	}
	var b strings.Builder
	if err := p.Child("hand").Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	checkPage(t, b.String(), []string{`id="run-hand"`, "cleaned", "run_shell"}, nil)
	if p.Child("other") != nil {
		t.Error("a run that the log does not have has a transcript")
	}
}

// TestChildrenAreQuietForScreenReaders: of children, screen readers are told what they ask and
// how they end, not what they write.
func TestChildrenAreQuietForScreenReaders(t *testing.T) {
	t.Parallel()
	p := foldTree()
	var said []string
	for _, e := range treeScript().events {
		for _, f := range p.Apply(e) {
			if f.Op == opSay && e.ParentRunID != "" {
				said = append(said, f.HTML)
			}
		}
	}
	want := []string{"Agent writer: done", "Waiting for a decision: Run this command? (high risk)", "Agent writer: stopped: step limit", "Decided: Approved (Run this command?)", "Agent hand: done", "Agent lead: done"}
	if d := cmp.Diff(want, said); d != "" {
		t.Error(d)
	}
}

// TestManyChildrenStayLight: a page with as many ended children as a tree may have, each with
// a long transcript, has their heads alone.
func TestManyChildrenStayLight(t *testing.T) {
	t.Parallel()
	s := newScript()
	s.said("root", "u", "Go")
	s.add("root", 0, agent.RunStart{Model: "demo"})
	var calls []agent.CallRequest
	for i := range agent.MaxTree - 1 {
		calls = append(calls, handsOver(fmt.Sprint("d", i), "worker", "Work"))
	}
	s.add("root", 1, agent.StepStart{MessageID: "m"}, answered("m", "", calls...), small)
	for i, c := range calls {
		run := fmt.Sprint("w", i)
		s.spawned("root", c.ID, run, "worker", "Work")
		for n := range 30 {
			id := fmt.Sprint("m", i, "-", n)
			s.below("root", run, n+1, agent.StepStart{MessageID: id}, answered(id, strings.Repeat("a long answer ", 100)), small)
		}
		s.below("root", run, 30, agent.Finish{Status: agent.StatusFinished, StopReason: agent.StopGoal})
	}
	p := foldTree()
	p.Replay(agent.Transcript{Events: s.events, From: 1}, int64(len(s.events)))
	if n := len(shown(t, p)); n > 150<<10 {
		t.Errorf("the page has %d bytes", n)
	}
}
