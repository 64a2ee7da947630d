package looptest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// TestChildDoesNotOverwriteItsSibling: what was made from an old reading is not written over
// what a sibling has written since; made from a new one, it is.
func TestChildDoesNotOverwriteItsSibling(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, agent.ModeAutoEdit, map[string][]agenttest.Turn{
		"left":  {readsFile("l1", "page.md"), writesFile("l2", "page.md", "a\nb\nC\nD\n"), {Text: "A and B are done."}},
		"right": {readsFile("r1", "./page.md"), writesFile("r2", "x/../page.md", "A\nB\nc\nd\n"), readsFile("r3", "page.md"), writesFile("r4", "page.md", "a\nb\nc\nd\n"), {Text: "C and D are done."}},
	}, hands("left", "right"), agenttest.Turn{Text: "All is done."})
	w.put("page.md", "A\nB\nC\nD\n")
	read, wrote, refused := make(chan struct{}), make(chan struct{}), make(chan struct{})
	w.before = func(id string) {
		switch id {
		case "l2":
			agenttest.Receive(t, "right to have read", read)
		case "r2":
			close(read)
			agenttest.Receive(t, "left to have written", wrote)
		case "r3":
			w.holds("page.md", "a\nb\nC\nD\n")
		}
	}
	w.after = func(id string) {
		switch id {
		case "l2": // its result is not stored yet
			close(wrote)
			agenttest.Receive(t, "right to have been refused", refused)
		case "r2":
			close(refused)
		}
	}
	root := w.ask()
	if root.Status != agent.StatusFinished {
		t.Fatalf("the root is %s", root.Status)
	}
	w.works(w.results(root.ID, "left"), "l1", "l2")
	right := w.results(root.ID, "right")
	w.failsWith(right["r2"], "changed by agent left since you read it", "Nothing was overwritten", "Read it again", "write once more")
	w.works(right, "r1", "r3", "r4")
	w.holds("page.md", "a\nb\nc\nd\n")
}

func TestEditsOfSiblingsAreAllMade(t *testing.T) {
	t.Parallel()
	agents, names, want := map[string][]agenttest.Turn{}, []string{}, ""
	var page strings.Builder
	for i := range 5 {
		name := fmt.Sprintf("hand%d", i)
		names = append(names, name)
		turn := agenttest.Turn{}
		for j := range 3 {
			fmt.Fprintf(&page, "old %d %d\n", i, j)
			want += fmt.Sprintf("new %d %d\n", i, j)
			turn.Calls = append(turn.Calls, editsFile(fmt.Sprintf("%s-%d", name, j), "page.md", fmt.Sprintf("old %d %d\n", i, j), fmt.Sprintf("new %d %d\n", i, j)))
		}
		agents[name] = []agenttest.Turn{turn, writesFile(name+"-new", "new.md", name), {Text: "Done."}}
	}
	w := newWorkshop(t, agent.ModeAutoEdit, agents, hands(names...), agenttest.Turn{Text: "All is done."})
	w.put("page.md", page.String())
	root := w.ask()
	w.holds("page.md", want)
	var made []string
	for _, name := range names {
		calls := w.results(root.ID, name)
		w.works(calls, name+"-0", name+"-1", name+"-2")
		if calls[name+"-new"].State == agent.CallSuccess {
			made = append(made, name)
		} else {
			w.failsWith(calls[name+"-new"], "made or changed by agent hand", "you have not read it since")
		}
	}
	if len(made) != 1 {
		t.Fatalf("new.md was made by %v", made)
	}
	w.holds("new.md", made[0])
}

// adder is a model that adds a line to the end of a file by writing the whole of it, as often
// as it is told to read it again.
type adder struct{ *agenttest.Provider }

func (m adder) Complete(ctx context.Context, req agent.Request, sink func(agent.Delta) error) (agent.Completion, error) {
	_, rest, child := strings.Cut(req.System, "You are the agent ")
	if !child {
		return m.Provider.Complete(ctx, req, sink)
	}
	name, _, _ := strings.Cut(rest, ",")
	last := req.Messages[len(req.Messages)-1]
	id := fmt.Sprint(name, len(req.Messages))
	turn := readsFile(id, "list.md")
	switch {
	case strings.HasPrefix(last.Content, "list:"):
		turn = writesFile(id, "list.md", last.Content+name+"\n")
	case strings.HasPrefix(last.Content, "Wrote"):
		turn = agenttest.Turn{Text: "Added."}
	}
	return agenttest.Script(turn).Complete(ctx, req, sink)
}

// TestLinesOfSiblingsAreAllWritten: whatever was reported as written is there at the end.
func TestLinesOfSiblingsAreAllWritten(t *testing.T) {
	t.Parallel()
	names := []string{"ann", "ben", "cat", "dan", "eve"}
	agents := map[string][]agenttest.Turn{}
	for _, name := range names {
		agents[name] = nil
	}
	w := newWorkshop(t, agent.ModeAutoEdit, agents, hands(names...), agenttest.Turn{Text: "All is done."})
	w.runner.Loop.Provider = adder{w.model}
	w.put("list.md", "list:\n")
	if root := w.ask(); root.Status != agent.StatusFinished {
		t.Fatalf("the root is %s", root.Status)
	}
	raw, err := os.ReadFile(filepath.Join(w.dir, "list.md"))
	w.must(err)
	lines := strings.Fields(string(raw))
	slices.Sort(lines)
	if diff := cmp.Diff(append(names, "list:"), lines); diff != "" {
		t.Error(diff)
	}
}

// TestOwnFileIsWrittenAgainAndAgain: a run that no other one gets in the way of hears nothing of others.
func TestOwnFileIsWrittenAgainAndAgain(t *testing.T) {
	t.Parallel()
	script := map[string][]agenttest.Turn{"left": nil, "right": nil}
	for i := range 20 {
		for name := range script {
			script[name] = append(script[name], writesFile(fmt.Sprint(name, i), name+".md", fmt.Sprintf("Draft %d of %s.", i, name)))
		}
	}
	w := newWorkshop(t, agent.ModeAutoEdit, script, hands("left", "right"), agenttest.Turn{Text: "All is done."})
	root := w.ask()
	for name := range script {
		calls := w.results(root.ID, name)
		if len(calls) != 20 {
			t.Errorf("%s has made %d calls", name, len(calls))
		}
		for id := range calls {
			w.works(calls, id)
		}
		w.holds(name+".md", "Draft 19 of "+name+".")
	}
}

// TestWhoReadAndWroteOutlivesTheProcess: another process knows who has read and written what.
func TestWhoReadAndWroteOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, agent.ModeAutoEdit, map[string][]agenttest.Turn{
		"left": {writesFile("l1", "page.md", "left"), {Text: "Done."}},
		"right": {
			readsFile("r1", "page.md"), one("r2", "ask_user", `{"question":"Which one?"}`),
			writesFile("r3", "page.md", "right"), writesFile("r4", "own.md", "right"), {Text: "Done."},
		},
	}, hands("left", "right"), writesFile("root1", "own.md", "root"), readsFile("root2", "own.md"), writesFile("root3", "own.md", "root"), agenttest.Turn{Text: "All is done."})
	w.put("page.md", "nobody")
	w.before = func(id string) {
		if id == "l1" {
			agenttest.Eventually(t, "right to ask", func() bool {
				cards, _, err := w.store.Approvals(t.Context(), rex, agent.ApprovalFilter{Status: agent.ApprovalPending}, agent.Page{})
				return err == nil && len(cards) == 1
			})
		}
	}
	root := w.ask()
	card := w.card()
	w.restart()
	w.decide(ana, card.ID, agent.Decision{Verb: agent.DecideAnswer, Answer: "This one."})
	if root = w.together(root.ID); root.Status != agent.StatusFinished {
		t.Fatalf("the root is %s", root.Status)
	}
	right := w.results(root.ID, "right")
	w.failsWith(right["r3"], "changed by agent left since you read it")
	w.works(right, "r1", "r4")
	w.holds("page.md", "left")
	own := w.results(root.ID, "")
	w.failsWith(own["root1"], "made or changed by agent right")
	w.works(own, "root2", "root3")
	w.holds("own.md", "root")
}
