package looptest

import (
	"context"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

var admina = agent.Viewer{UserID: "admina", Email: "admina@example.org", Role: agent.RoleAdmin}

// rule puts a rule of an admin in force.
func (w *world) rule(id string, action agent.Action, priority int) {
	w.t.Helper()
	w.must(w.store.AddPolicyRule(w.t.Context(), admina, agent.PolicyRule{
		ID: id, Tool: "run_shell", Args: agent.Pattern{"command": "go test *"}, Action: action, Priority: priority,
		Reason: "Says rule " + id + ".", Source: agent.RuleFromAdmin, CreatedBy: admina.Email, CreatedAt: agent.Stamp(w.clock),
	}))
}

func goTest(id string) agenttest.Turn {
	return agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call(id, "run_shell", `{"command":"go test ./`+id+`"}`)}}
}

// call is one stored call of a run.
func (w *world) call(runID, id string) agent.ToolCall {
	w.t.Helper()
	calls, err := w.store.ToolCalls(w.t.Context(), runID)
	w.must(err)
	for _, c := range calls {
		if strings.HasSuffix(c.Args, "/"+id+`"}`) {
			return c
		}
	}
	w.t.Fatalf("there is no call %s", id)
	return agent.ToolCall{}
}

// TestRuleLetsCallsPassUntilItIsRevoked: a rule of an admin lets a call run
// without a person; once it is taken back the next call of the same run asks.
func TestRuleLetsCallsPassUntilItIsRevoked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, goTest("one"), goTest("two"), agenttest.Turn{Text: "ok"})
	w.rule("pass", agent.ActionAllow, 0)
	w.tools.do["run_shell"] = func(context.Context, agent.ToolInput) agent.ToolResult {
		w.must(w.store.RevokePolicyRule(t.Context(), admina, "pass"))
		return agent.ToolResult{Content: "ok"}
	}
	run := w.post("test it")
	if c := w.call(run.ID, "one"); c.State != agent.CallSuccess || c.Authority.String() != "rule:pass" {
		t.Errorf("the first call is %s by %q", c.State, c.Authority)
	}
	if c := w.call(run.ID, "two"); run.Status != agent.StatusPaused || c.State != agent.CallAwaiting || c.Authority.String() != "effect-exec" {
		t.Errorf("run %s; the second call is %s by %q", run.Status, c.State, c.Authority)
	}
	if card := w.card(); card.Pattern != nil {
		t.Errorf("the card proposes %v for what the workspace decides", card.Pattern)
	}
}

// TestRuleRevokedBeforeDispatch: a call that a rule let pass, and that had no
// chance to run yet, asks where the rule is gone by then.
func TestRuleRevokedBeforeDispatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Turn{Calls: []agent.CallRequest{
		agenttest.Call("a", "run_shell", `{"command":"make it"}`), agenttest.Call("b", "run_shell", `{"command":"go test ./b"}`),
	}}, agenttest.Turn{Text: "ok"})
	w.rule("pass", agent.ActionAllow, 0)
	run := w.post("test it") // the second call waits behind the approval of the first
	if c := w.call(run.ID, "b"); c.State != agent.CallScheduled || c.Authority.String() != "rule:pass" {
		t.Fatalf("the call is %s by %q", c.State, c.Authority)
	}
	w.must(w.store.RevokePolicyRule(t.Context(), admina, "pass"))
	w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideApprove})
	run = w.advance(run.ID)
	if c := w.call(run.ID, "b"); run.Status != agent.StatusPaused || c.State != agent.CallAwaiting || w.tools.executed("run_shell") != 1 {
		t.Errorf("run %s, the call is %s, the shell ran %d times", run.Status, c.State, w.tools.executed("run_shell"))
	}
}

// TestRuleRunsOut: a rule holds until its time is over.
func TestRuleRunsOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, goTest("one"), agenttest.Turn{Text: "ok"}, goTest("two"))
	w.must(w.store.AddPolicyRule(t.Context(), admina, agent.PolicyRule{
		ID: "short", Tool: "run_shell", Action: agent.ActionAllow, CreatedAt: agent.Stamp(w.clock), ExpiresAt: agent.Stamp(w.clock).Add(time.Hour),
	}))
	if run := w.post("test it"); run.Status != agent.StatusFinished {
		t.Errorf("run %s", run.Status)
	}
	w.clock.Advance(time.Hour)
	if run := w.post("test it again"); run.Status != agent.StatusPaused {
		t.Errorf("run %s", run.Status)
	}
}

// TestRuleDenies: the model reads why, and nobody is asked.
func TestRuleDenies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, goTest("one"), agenttest.Turn{Text: "ok"})
	w.rule("pass", agent.ActionAllow, 0)
	w.rule("stop", agent.ActionDeny, 0)
	run := w.post("test it")
	c := w.call(run.ID, "one")
	if run.Status != agent.StatusFinished || c.State != agent.CallError || c.ErrorType != agent.ErrRejected ||
		!strings.Contains(c.Result, "Says rule stop.") || w.tools.executed("run_shell") != 0 {
		t.Errorf("run %s, call %s (%s): %q, executed %d times", run.Status, c.State, c.ErrorType, c.Result, w.tools.executed("run_shell"))
	}
	w.soundHistory()
}

// TestRuleDeniesWhatWasApproved: what is forbidden while a call waits does not
// run, whoever approves it.
func TestRuleDeniesWhatWasApproved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, goTest("one"), agenttest.Turn{Text: "ok"})
	run := w.post("test it")
	w.rule("stop", agent.ActionDeny, 0)
	w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideApprove})
	run = w.advance(run.ID)
	c := w.call(run.ID, "one")
	if run.Status != agent.StatusFinished || c.State != agent.CallError || !strings.Contains(c.Result, "Says rule stop.") || w.tools.executed("run_shell") != 0 {
		t.Errorf("run %s, call %s: %q, executed %d times", run.Status, c.State, c.Result, w.tools.executed("run_shell"))
	}
	w.soundHistory()
}

// TestStandingRuleOfAnApproval: what a reviewer approves for good lets the like
// pass, in other conversations too, and nothing that is not alike.
func TestStandingRuleOfAnApproval(t *testing.T) {
	t.Parallel()
	shell := func(id, command string) agenttest.Turn {
		return agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call(id, "run_shell", `{"command":"`+command+`"}`)}}
	}
	w := newWorld(t, shell("a", "go vet ./one"), shell("b", "go vet ./two"), shell("c", "go vet ./x; id"))
	run := w.post("test it")
	card := w.card()
	w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove, Scope: agent.ScopeAlways, Pattern: card.Pattern})
	run = w.advance(run.ID)
	rules, err := w.store.PolicyRules(t.Context())
	w.must(err)
	if len(rules) != 1 || rules[0].ApprovalID != card.ID || rules[0].Source != agent.RuleFromApproval {
		t.Fatalf("rules %+v", rules)
	}
	if c := w.call(run.ID, "two"); c.State != agent.CallSuccess || c.Authority.String() != "rule:"+rules[0].ID {
		t.Errorf("the like of it is %s by %q", c.State, c.Authority)
	}
	if run.Status != agent.StatusPaused || w.tools.executed("run_shell") != 2 {
		t.Errorf("run %s, the shell ran %d times", run.Status, w.tools.executed("run_shell"))
	}
}

// TestStandingRuleThatWouldNotHold: who approves for good what a rule asks about
// is told, instead of being asked again and again.
func TestStandingRuleThatWouldNotHold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, goTest("one"), agenttest.Turn{Text: "ok"})
	w.rule("mind", agent.ActionAsk, 0)
	run := w.post("test it")
	card := w.card()
	_, err := w.service.Decide(t.Context(), rex, card.ID, agent.Decision{Verb: agent.DecideApprove, Scope: agent.ScopeAlways})
	if agent.CodeOf(err) != agent.Invalid || !strings.Contains(agent.MessageOf(err), "Says rule mind.") {
		t.Errorf("approved for good: %v", err)
	}
	if rules, err := w.store.PolicyRules(t.Context()); err != nil || len(rules) != 1 {
		t.Errorf("rules %+v, %v", rules, err)
	}
	w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove})
	if run = w.advance(run.ID); run.Status != agent.StatusFinished {
		t.Errorf("run %s", run.Status)
	}
}
