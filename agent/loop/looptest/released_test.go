package looptest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// again is the same call, again and again.
func again(tool, args string) []agenttest.Turn {
	var turns []agenttest.Turn
	for i := range 8 {
		turns = append(turns, agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call(fmt.Sprint("call", i), tool, args)}})
	}
	return turns
}

// TestReleasedCallIsStillChecked: a call that a breaker held back is not executed
// with arguments that do not fit its tool, whoever lets it continue.
func TestReleasedCallIsStillChecked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, again("save", `[1]`)...)
	run := w.post("save it")
	card := w.card()
	for ; card.ToolCallID == ""; card = w.card() { // that so many calls fail is asked about as well
		w.decide(rex, card.ID, resume(agent.ResumePlain, 0))
		w.advance(run.ID)
	}
	w.decide(rex, card.ID, resume(agent.ResumePlain, 0))
	now := w.advance(run.ID)
	if n := w.tools.executed("save"); n != 0 {
		t.Errorf("executed %d times with arguments that break the schema; run %s", n, now.Status)
	}
	calls, err := w.store.ToolCalls(t.Context(), run.ID)
	w.must(err)
	if held := calls[slices.IndexFunc(calls, func(c agent.ToolCall) bool { return c.ID == card.ToolCallID })]; held.ErrorType != agent.ErrInvalidParams {
		t.Errorf("the call ended as %s (%s): %s", held.State, held.ErrorType, held.Result)
	}
	w.soundHistory()
}

// TestReleasedQuestionIsAsked: a question that a breaker held back is put before
// the person once it may continue: no tool can answer it.
func TestReleasedQuestionIsAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, again("ask", `{"question":"Which colour?"}`)...)
	w.tools.specs = append(w.tools.specs, agent.ToolSpec{Name: "ask", Effect: agent.EffectRead, Idempotent: true, AsksPerson: true})
	run := w.post("paint")
	for range 7 {
		w.decide(ana, w.card().ID, agent.Decision{Verb: agent.DecideAnswer, Answer: "red"})
		w.advance(run.ID)
	}
	held := w.card()
	if held.Kind != agent.KindLoop {
		t.Fatalf("asked is %+v", held)
	}
	w.decide(ana, held.ID, resume(agent.ResumePlain, 0))
	w.advance(run.ID)
	if w.tools.executed("ask") != 0 {
		t.Fatal("the question was executed")
	}
	question := w.card()
	if question.Kind != agent.KindQuestion || question.Message != "Which colour?" {
		t.Fatalf("asked is %+v", question)
	}
	w.decide(ana, question.ID, agent.Decision{Verb: agent.DecideAnswer, Answer: "blue"})
	w.advance(run.ID)
	m := w.soundHistory()
	if last := m[len(m)-2].Content; !strings.Contains(last, "blue") {
		t.Errorf("the model reads %q", last)
	}
}

// TestRefusedStaysRefused: what a person has refused does not run because
// somebody lets the run continue that a breaker holds back for repeating it.
func TestRefusedStaysRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, again("save", `{"x":1}`)...)
	run := w.post("save it")
	w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideReject, Comment: "never"})
	w.advance(run.ID)
	held := w.card()
	if held.Kind != agent.KindLoop || held.ToolCallID == "" {
		t.Fatalf("asked is %+v", held)
	}
	w.decide(ana, held.ID, resume(agent.ResumePlain, 0))
	w.advance(run.ID)
	calls, err := w.store.ToolCalls(t.Context(), run.ID)
	w.must(err)
	if last := calls[len(calls)-1]; w.tools.executed("save") != 0 || last.ErrorType != agent.ErrRejected {
		t.Errorf("executed %d times, the last call ended as %s: %s", w.tools.executed("save"), last.State, last.Result)
	}
	w.soundHistory()
}
