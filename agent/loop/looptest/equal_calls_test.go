package looptest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

// equalAnswers are turns that each make a number of calls, equal ones unless vary.
func equalAnswers(answers, calls int, tool string, vary bool) []agenttest.Turn {
	turns := make([]agenttest.Turn, answers)
	for i := range turns {
		for j := range calls {
			args := `{"command":"echo hi"}`
			if vary {
				args = fmt.Sprintf(`{"command":"echo %d %d"}`, i, j)
			}
			turns[i].Calls = append(turns[i].Calls, agenttest.Call(fmt.Sprintf("c%d.%d", i, j), tool, args))
		}
		turns[i].Usage = agent.Usage{Tokens: agent.Tokens{InputTokens: 10, OutputTokens: 2}}
	}
	return append(turns, agenttest.Turn{Text: "Done."})
}

// TestEqualCallsOfAnAnswer: each of them counts for the breakers, they are made once, and
// a person is asked once about all of them.
func TestEqualCallsOfAnAnswer(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		answers, calls int
		tool           string
		mode           agent.ApprovalMode
		vary           bool
		// made is how often the tool ran when the run first rests; kind is what is asked then.
		made int
		kind agent.ApprovalKind
	}{
		{answers: 1, calls: 9, tool: "run_shell", mode: agent.ModeYolo, made: 0, kind: agent.KindLoop},
		{answers: 1, calls: 9, tool: "run_shell", mode: agent.ModeDefault, made: 0, kind: agent.KindTool},
		{answers: 1, calls: 3, tool: "run_shell", mode: agent.ModeDefault, made: 0, kind: agent.KindTool},
		{answers: 8, calls: 12, tool: "run_shell", mode: agent.ModeYolo, made: 0, kind: agent.KindLoop},
		{answers: 8, calls: 3, tool: "run_shell", mode: agent.ModeYolo, made: 2, kind: agent.KindLoop},
		{answers: 6, calls: 12, tool: "look", mode: agent.ModeDefault, made: 1, kind: agent.KindLoop},
		{answers: 4, calls: 2, tool: "look", mode: agent.ModeDefault, made: 4, kind: agent.KindLoop},
		{answers: 3, calls: 20, tool: "look", mode: agent.ModeDefault, vary: true, made: 60},
		{answers: 2, calls: 2, tool: "look", mode: agent.ModeDefault, made: 2},
	} {
		t.Run(fmt.Sprintf("%d of %d %s in %s", row.answers, row.calls, row.tool, row.mode), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, equalAnswers(row.answers, row.calls, row.tool, row.vary)...)
			w.must(w.store.CreateConversation(t.Context(), agent.Conversation{
				ID: "equal", OwnerID: ana.UserID, ApprovalMode: row.mode, CreatedAt: w.clock.Now(), UpdatedAt: w.clock.Now(),
			}))
			done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "equal", Content: "go"})
			w.must(err)
			run := w.advance(done.RunID)
			if got := w.tools.executed(row.tool); got != row.made {
				t.Errorf("%d calls were made, not %d", got, row.made)
			}
			if row.kind == "" {
				if run.Status != agent.StatusFinished {
					t.Errorf("the run is %s", run.Status)
				}
				return
			}
			if card := w.card(); card.Kind != row.kind {
				t.Errorf("the card is of kind %s", card.Kind)
			}
		})
	}
}

// TestEqualCallsShareTheResult: what was made once is the result of each, also where a
// person has edited it; the model reads that it happened once.
func TestEqualCallsShareTheResult(t *testing.T) {
	t.Parallel()
	w := newWorld(t, equalAnswers(1, 3, "run_shell", false)...)
	w.tools.do["run_shell"] = func(_ context.Context, in agent.ToolInput) agent.ToolResult {
		return agent.ToolResult{Content: "ran " + string(in.Args)}
	}
	w.post("go")
	card := w.card()
	w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideEdit, Args: []byte(`{"command":"echo ho"}`), ArgsHash: card.ArgsHash, Generation: card.Generation})
	if run := w.advance(card.RunID); run.Status != agent.StatusFinished {
		t.Fatalf("the run is %s", run.Status)
	}
	if got := w.tools.executed("run_shell"); got != 1 {
		t.Errorf("the tool ran %d times", got)
	}
	var results []string
	for _, m := range w.soundHistory() {
		if m.Role == agent.FromTool {
			results = append(results, m.Content)
		}
	}
	own := `ran {"command":"echo ho"}`
	if want := []string{own, agent.SharedResult + own, agent.SharedResult + own}; !slices.Equal(results, want) {
		t.Errorf("the model reads\n%s", strings.Join(results, "\n"))
	}
}

// TestReadsWaitForEffectsBeforeThem: the calls of an answer run in the model's order where
// one may depend on another.
func TestReadsWaitForEffectsBeforeThem(t *testing.T) {
	t.Parallel()
	w := pureWorld(t, agenttest.Turn{Calls: []agent.CallRequest{
		agenttest.Call("a", "look", `{"of":"a"}`), agenttest.Call("b", "save", `{"to":"b"}`), agenttest.Call("c", "look", `{"of":"b"}`),
		agenttest.Call("d", "add", `{"x":1}`), agenttest.Call("e", "save", `{"to":"c"}`), agenttest.Call("f", "look", `{"of":"c"}`),
	}}, agenttest.Turn{Text: "Done."})
	run := w.post("go")
	if got := strings.Join(w.tools.runs, " "); strings.Contains(got, "save") || strings.Contains(got, `{"of":"b"}`) || !strings.Contains(got, "add") {
		t.Errorf("before anybody has decided ran %s", got)
	}
	for _, card := range w.cardsOf(run.ID) {
		w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove, ArgsHash: card.ArgsHash, Generation: card.Generation})
	}
	w.advance(run.ID)
	order := strings.Join(w.tools.runs[2:], " ")
	if want := `save {"to":"b"} look {"of":"b"} save {"to":"c"} look {"of":"c"}`; order != want {
		t.Errorf("ran %s", order)
	}
}

// TestEqualCallsAroundAnEffect: what lies between two equal calls may change what they do,
// so both are made.
func TestEqualCallsAroundAnEffect(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Turn{Calls: []agent.CallRequest{
		agenttest.Call("a", "look", `{"of":"x"}`), agenttest.Call("b", "save", `{"to":"x"}`), agenttest.Call("c", "look", `{"of":"x"}`), agenttest.Call("d", "look", `{"of":"x"}`),
	}}, agenttest.Turn{Text: "Done."})
	run := w.post("go")
	card := w.card()
	w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove, ArgsHash: card.ArgsHash, Generation: card.Generation})
	w.advance(run.ID)
	if got := strings.Join(w.tools.runs, " "); got != `look {"of":"x"} save {"to":"x"} look {"of":"x"}` {
		t.Errorf("ran %s", got)
	}
}

// TestEqualCallsGoOnBehindTheBreaker: who lets a run go on does not have the same command
// made twice for one answer, and what the model reads is true.
func TestEqualCallsGoOnBehindTheBreaker(t *testing.T) {
	t.Parallel()
	w := newWorld(t, equalAnswers(1, 12, "save", false)...)
	run := w.post("go")
	tool := w.card() // it asks about the first call; the eighth is refused
	w.decide(rex, tool.ID, agent.Decision{Verb: agent.DecideReject, Comment: "no", ArgsHash: tool.ArgsHash, Generation: tool.Generation})
	if run = w.advance(run.ID); run.Status != agent.StatusFinished || w.tools.executed("save") != 0 {
		t.Errorf("the run is %s after %d calls", run.Status, w.tools.executed("save"))
	}
	for _, m := range w.soundHistory() {
		if strings.Contains(m.Content, agent.SharedResult) {
			t.Errorf("of a call that was not made the model reads %q", m.Content)
		}
	}

	w = newWorld(t, equalAnswers(2, 12, "look", false)...)
	run = w.post("go")
	loop := w.card()
	w.decide(rex, loop.ID, agent.Decision{Verb: agent.DecideResume, Answer: agent.ResumeAllowMore, N: 20, Generation: loop.Generation})
	if run = w.advance(run.ID); run.Status != agent.StatusFinished || w.tools.executed("look") != 2 {
		t.Errorf("with 20 more allowed the run is %s after %d calls", run.Status, w.tools.executed("look"))
	}
}
