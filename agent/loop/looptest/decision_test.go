package looptest

import (
	"context"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// TestDecisionsThatSayNothing: a decision gives the text that it is for, in
// letters, and takes only ways to continue that its approval offers.
func TestDecisionsThatSayNothing(t *testing.T) {
	t.Parallel()
	failing := func(t *testing.T) (*world, agent.Approval) {
		w := newWorld(t, again("save", `[1]`)...)
		w.post("save it")
		return w, w.card()
	}
	doubt := func(t *testing.T) (*world, agent.Approval) {
		w, _ := dictatedWorld(t, nil)
		w.tools.do["mark"] = func(context.Context, agent.ToolInput) agent.ToolResult {
			return agent.ToolResult{ErrorType: agent.ErrTimeout}
		}
		run, card := markOnce(w, `{"x":1}`)
		w.decide(rex, card.ID, approves())
		w.advance(run.ID)
		return w, w.card()
	}
	asked := func(t *testing.T) (*world, agent.Approval) {
		w := newWorld(t, agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("a", "run_shell", `{"command":"ls"}`)}})
		w.post("look")
		return w, w.card()
	}
	for _, tc := range []struct {
		name  string
		card  func(t *testing.T) (*world, agent.Approval)
		dec   agent.Decision
		field string
	}{
		{"a way that is not offered", failing, agent.Decision{Verb: agent.DecideApprove, Answer: agent.ResumeAllowMore, N: 20}, "answer"},
		{"a takeover of nothing", failing, agent.Decision{Verb: agent.DecideTakeover, Choices: []string{"1"}}, "answer"},
		{"a result of nothing", doubt, agent.Decision{Verb: agent.DecideAnswer, Choices: []string{"1"}}, "answer"},
		{"an answer that is no text", doubt, agent.Decision{Verb: agent.DecideAnswer, Answer: "a\xff"}, "answer"},
		{"a comment that is no text", asked, agent.Decision{Verb: agent.DecideReject, Comment: "a\xff"}, "comment"},
		{"a run and a pattern", asked, agent.Decision{Verb: agent.DecideApprove, Scope: agent.ScopeRun, Pattern: agent.Pattern{"command": "ls *"}}, "pattern"},
		{"arguments that are no text", asked, agent.Decision{Verb: agent.DecideEdit, Args: []byte("{\"command\":\"a\xff\"}")}, "args"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w, card := tc.card(t)
			wantError(t, w.tryDecide(rex, card.ID, tc.dec), agent.Invalid, tc.field)
			if now := w.card(); now.ID != card.ID || now.Generation != card.Generation {
				t.Errorf("now asked: %+v", now)
			}
		})
	}
}
