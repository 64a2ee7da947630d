package present

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/views/text"
)

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
	reconnectsAnywhere(t, treeScript().events, foldTree)
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

// TestRootSaysForWhomItWaits names the children, with links to their cards,
// the agent of several once.
func TestRootSaysForWhomItWaits(t *testing.T) {
	t.Parallel()
	_, page := treePage(t, pauses("root"))
	link := func(call, name string) string {
		return fmt.Sprintf(`<a href="#%s">%s</a>`, toolElement("root", call), name)
	}
	checkPage(t, page, []string{
		"Waits for ", link("d1", "lead"), link("d2", "writer × 2"), "waits for a place", "Have the &lt;log&gt; tidied", "/runs/lead/abort",
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
