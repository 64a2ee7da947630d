package looptest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/fingerprint"
	"fusebox/agent/service"
)

// markOnce dictates one call of high risk, and returns its run and its approval.
func markOnce(w *world, args string) (agent.Run, agent.Approval) {
	w.t.Helper()
	run := w.post(message([]agent.CallRequest{{ID: "a", Name: "mark", Arguments: args}}))
	return *run, w.card()
}

func approves() agent.Decision { return agent.Decision{Verb: agent.DecideApprove} }

func withMinute(w *world) { w.service.UndoWindow = time.Minute }

// TestUndoBehindTheEnd: an aborted run leaves nothing that could be undone, and
// then waits for people for ever.
func TestUndoBehindTheEnd(t *testing.T) {
	t.Parallel()
	w, _ := dictatedWorld(t, withMinute)
	run, card := markOnce(w, `{"x":1}`)
	w.decide(rex, card.ID, approves())
	w.must(w.service.Abort(t.Context(), ana, run.ID))
	if run := w.advance(run.ID); run.Status != agent.StatusAborted {
		t.Fatalf("run %s", run.Status)
	}
	if _, err := w.service.Undo(t.Context(), rex, card.ID); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("undo answered %v", err)
	}
	if now := w.cardsOf(run.ID)[0]; now.Status != agent.ApprovalDecided {
		t.Errorf("the card of the aborted run is %s", now.Status)
	}
}

// asksAnew wants that nothing has run and that the approval waits as its second
// generation; another person's approval lets it run once.
func (w *world) asksAnew(run agent.Run, card agent.Approval, why string) {
	w.t.Helper()
	if now := w.advance(run.ID); now.Status != agent.StatusPaused || w.tools.executed("mark") != 0 {
		w.t.Fatalf("run %s, executed %d times", now.Status, w.tools.executed("mark"))
	}
	again := w.card()
	if again.ID != card.ID || again.Generation != 2 || again.DecidedBy != "" || !strings.Contains(again.Message, why) {
		w.t.Errorf("asked again: %+v", again)
	}
	w.decide(rey, again.ID, approves())
	w.clock.Advance(time.Minute)
	if now := w.advance(run.ID); now.Status != agent.StatusFinished || w.tools.executed("mark") != 1 {
		w.t.Errorf("run %s, executed %d times", now.Status, w.tools.executed("mark"))
	}
	w.soundHistory()
}

// TestApproverLosesTheRight: who has lost the right to approve before the call is
// dispatched has not approved it.
func TestApproverLosesTheRight(t *testing.T) {
	t.Parallel()
	for name, loses := range map[string]func(w *world) error{
		"demoted": func(w *world) error {
			return w.store.PatchUser(w.t.Context(), rex.UserID, agent.UserPatch{Role: new(agent.RoleUser), Disabled: new(false)})
		},
		"disabled": func(w *world) error {
			return w.store.PatchUser(w.t.Context(), rex.UserID, agent.UserPatch{Role: new(agent.RoleReviewer), Disabled: new(true)})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := dictatedWorld(t, withMinute)
			w.staff(rey, ada)
			run, card := markOnce(w, `{"x":1}`)
			w.decide(rex, card.ID, approves())
			w.must(loses(w))
			w.clock.Advance(time.Minute)
			w.asksAnew(run, card, "revoked")
		})
	}
}

// TestToolChangesBeforeDispatch: a tool that takes other arguments since is asked
// about again.
func TestToolChangesBeforeDispatch(t *testing.T) {
	t.Parallel()
	w, _ := dictatedWorld(t, withMinute)
	w.staff(rey)
	run, card := markOnce(w, `{"x":1}`)
	w.decide(rex, card.ID, approves())
	w.tools.specs[len(w.tools.specs)-1].Parameters = json.RawMessage(`{"type":"object","properties":{"x":{"type":"number"}}}`)
	w.restart()
	w.clock.Advance(time.Minute)
	w.asksAnew(run, card, "tool has changed")
}

// TestAskedAnewShowsTheEditedArguments: where a call with edited arguments is asked
// about again, it is these that are shown and that run, and not those that
// somebody found wrong.
func TestAskedAnewShowsTheEditedArguments(t *testing.T) {
	t.Parallel()
	w, _ := dictatedWorld(t, withMinute)
	run, card := markOnce(w, `{"x":1}`)
	w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideEdit, Args: json.RawMessage(`{"x":2}`)})
	w.staff(rey)
	w.tools.specs[len(w.tools.specs)-1].Parameters = json.RawMessage(`{"type":"object"}`)
	w.clock.Advance(time.Minute)
	w.advance(run.ID)
	again := w.card()
	if string(again.Args) != `{"x":2}` || string(again.OriginalArgs) != `{"x":1}` || again.Author != rex.Email ||
		again.ArgsHash != fingerprint.Args(`{"x":2}`, nil) {
		t.Errorf("shown are %s (%s) of %s instead of %s", again.Args, again.ArgsHash, again.Author, again.OriginalArgs)
	}
	w.decide(rey, again.ID, approves())
	w.clock.Advance(time.Minute)
	w.advance(run.ID)
	if got := fmt.Sprint(w.tools.runs); got != `[mark {"x":2}]` {
		t.Errorf("executed: %s", got)
	}
}

// ruled is a policy that knows a rule for some calls, and what it denies, or how
// grave it finds a call now.
type ruled struct {
	agent.Policy
	deny bool
	risk agent.Risk
}

func (p *ruled) Rule(q agent.PolicyRequest) agent.PolicyVerdict {
	r := p.Policy.Rule(q)
	if p.risk != "" {
		r.Risk = p.risk
	}
	for _, rule := range q.Rules {
		if rule.Tool == q.Spec.Name && rule.ArgsHash == fingerprint.Args(string(q.Args), nil) {
			r.Action, r.Rule = agent.ActionAllow, rule.Authority()
		}
	}
	if p.deny && q.Spec.Name == "mark" {
		r.Action, r.Reason = agent.ActionDeny, "marks are over"
	}
	return r
}

// TestPolicyDeniesAtDispatch: what policy denies by now does not run, whoever approved it.
func TestPolicyDeniesAtDispatch(t *testing.T) {
	t.Parallel()
	p := &ruled{}
	w, _ := dictatedWorld(t, func(w *world) {
		w.service.UndoWindow = time.Minute
		p.Policy = w.runner.Loop.Policy
		w.runner.Loop.Policy = p
	})
	run, card := markOnce(w, `{"x":1}`)
	w.decide(rex, card.ID, approves())
	p.deny = true
	w.clock.Advance(time.Minute)
	w.advance(run.ID)
	m := w.soundHistory()
	if w.tools.executed("mark") != 0 || !strings.Contains(m[2].Content, "Error (rejected): No longer allowed here: marks are over") {
		t.Errorf("executed %d times, the model reads %q", w.tools.executed("mark"), m[2].Content)
	}
}

// TestAskedAnewIsJudgedAnew: an approval that is asked again shows the risk that the
// call has by now, and asks as many people as that takes.
func TestAskedAnewIsJudgedAnew(t *testing.T) {
	t.Parallel()
	p := &ruled{}
	w, _ := dictatedWorld(t, func(w *world) {
		w.service.UndoWindow = time.Minute
		p.Policy = w.runner.Loop.Policy
		w.runner.Loop.Policy = p
	})
	w.staff(rey, ada)
	run, card := markOnce(w, `{"x":1}`)
	w.decide(rex, card.ID, approves())
	w.must(w.store.PatchUser(t.Context(), rex.UserID, agent.UserPatch{Role: new(agent.RoleUser), Disabled: new(false)}))
	p.risk = agent.RiskCritical
	w.clock.Advance(time.Minute)
	w.advance(run.ID)
	if again := w.card(); again.Risk != agent.RiskCritical || again.Needs != 2 {
		t.Errorf("asked again, it is of %s risk and needs %d", again.Risk, again.Needs)
	}
}

// TestWhatCoversIsTakenBack: a call that passed by a scope or a rule, and waits for
// its siblings, is asked about once that is taken back.
func TestWhatCoversIsTakenBack(t *testing.T) {
	t.Parallel()
	for _, scope := range []agent.Scope{agent.ScopeRun, agent.ScopeConversation, agent.ScopeAlways} {
		t.Run(string(scope), func(t *testing.T) {
			t.Parallel()
			w, _ := dictatedWorld(t, func(w *world) { w.runner.Loop.Policy = &ruled{Policy: w.runner.Loop.Policy} })
			call := func(id, tool, args string) agent.CallRequest {
				return agent.CallRequest{ID: id, Name: tool, Arguments: args}
			}
			run := w.post(message(
				[]agent.CallRequest{call("a", "mark", `{"x":1}`)},
				[]agent.CallRequest{call("b", "mark", `{"x":1}`), call("c", "save", `{"x":2}`)},
			))
			covers := w.card()
			w.decide(rex, covers.ID, agent.Decision{Verb: agent.DecideApprove, Scope: scope})
			w.advance(run.ID)
			sibling := w.card()
			if sibling.ToolCallID != "c" || w.tools.executed("mark") != 1 {
				t.Fatalf("%s waits, marked %d times", sibling.ToolCallID, w.tools.executed("mark"))
			}
			_, err := w.service.Revoke(t.Context(), rex, covers.ID)
			w.must(err)
			w.decide(ana, sibling.ID, approves())
			w.advance(run.ID)
			again := w.card()
			if again.ToolCallID != "b" || w.tools.executed("mark") != 1 {
				t.Fatalf("%s waits, marked %d times", again.ToolCallID, w.tools.executed("mark"))
			}
			w.decide(rex, again.ID, approves())
			if now := w.advance(run.ID); now.Status != agent.StatusFinished || w.tools.executed("mark") != 2 || w.tools.executed("save") != 1 {
				t.Errorf("run %s, executed %v", now.Status, w.tools.runs)
			}
			w.soundHistory()
		})
	}
}

// TestTimeoutLeavesDoubt: a call that did not end in time may have happened; a
// person is asked what happened.
func TestTimeoutLeavesDoubt(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		dec    agent.Decision
		runs   int
		result string
	}{
		{agent.Decision{Verb: agent.DecideAnswer, Answer: "it did"}, 1, "it did"},
		{agent.Decision{Verb: agent.DecideApprove}, 2, "marked at last"},
		{agent.Decision{Verb: agent.DecideReject, Comment: "leave it"}, 1, "did not finish in time"},
	} {
		t.Run(string(tc.dec.Verb), func(t *testing.T) {
			t.Parallel()
			w, _ := dictatedWorld(t, nil)
			var keys []string
			w.tools.do["mark"] = func(_ context.Context, in agent.ToolInput) agent.ToolResult {
				if keys = append(keys, in.IdempotencyKey); len(keys) > 1 {
					return agent.ToolResult{Content: "marked at last"}
				}
				return agent.ToolResult{Content: "half a mark", ErrorType: agent.ErrTimeout}
			}
			run, card := markOnce(w, `{"x":1}`)
			w.decide(rex, card.ID, approves())
			w.advance(run.ID)
			doubt := w.card()
			if doubt.Kind != agent.KindOutcome || doubt.Risk != agent.RiskHigh || !strings.Contains(string(doubt.Evidence), "half a mark") {
				t.Fatalf("asked is %+v", doubt)
			}
			w.decide(rex, doubt.ID, tc.dec)
			now := w.advance(run.ID)
			m := w.soundHistory()
			if now.Status != agent.StatusFinished || len(keys) != tc.runs || keys[0] != keys[len(keys)-1] || !strings.Contains(m[2].Content, tc.result) {
				t.Errorf("run %s, executed with %v, the model reads %q", now.Status, keys, m[2].Content)
			}
			if !strings.Contains(m[2].Content, tc.dec.Comment) {
				t.Errorf("the model does not read the reason: %q", m[2].Content)
			}
		})
	}
}

// TestExpiryIsNobodysRefusal: where no one decided in time, the model does not read
// that a person refused.
func TestExpiryIsNobodysRefusal(t *testing.T) {
	t.Parallel()
	w, _ := dictatedWorld(t, func(w *world) { w.service.OnTimeout = service.TimeoutReject })
	run, card := markOnce(w, `{"x":1}`)
	w.clock.Advance(card.ExpiresAt.Sub(w.clock.Now()))
	w.must(w.service.Tick(t.Context()))
	w.advance(run.ID)
	m := w.soundHistory()
	if text := m[2].Content; !strings.Contains(text, "No one decided in time") || strings.Contains(text, "A person refused") || w.tools.executed("mark") != 0 {
		t.Errorf("executed %d times, the model reads %q", w.tools.executed("mark"), text)
	}
}
