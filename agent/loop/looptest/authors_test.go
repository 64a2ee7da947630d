package looptest

import (
	"encoding/json"
	"testing"

	"fusebox/agent"
)

func editTo(args string) agent.Decision {
	return agent.Decision{Verb: agent.DecideEdit, Args: json.RawMessage(args)}
}

func (w *world) wantCode(err error, code agent.Code) {
	w.t.Helper()
	if agent.CodeOf(err) != code {
		w.t.Errorf("error %v, want code %q", err, code)
	}
}

// TestASecondEditorNeedsAnother: who edits what somebody else has edited is the
// author of these arguments, and cannot let them run by himself.
func TestASecondEditorNeedsAnother(t *testing.T) {
	t.Parallel()
	w, _ := dictatedWorld(t, nil)
	w.staff(rey)
	run, card := markOnce(w, `{"x":1}`)
	w.decide(rex, card.ID, editTo(`{"x":2}`))
	if now := w.card(); now.Author != rex.Email || now.Generation != 2 {
		t.Fatalf("after one edit: %+v", now)
	}
	w.decide(rey, card.ID, editTo(`{"x":3}`))
	if now := w.cardsOf(run.ID)[0]; now.Status != agent.ApprovalPending || now.Author != rey.Email || string(now.OriginalArgs) != `{"x":1}` {
		t.Fatalf("after two edits the card is %s, of %s instead of %s", now.Status, now.Author, now.OriginalArgs)
	}
	_, err := w.service.Decide(t.Context(), rey, card.ID, approves())
	w.wantCode(err, agent.Forbidden)
	w.decide(rex, card.ID, approves())
	w.advance(run.ID)
	if len(w.tools.runs) != 1 || w.tools.runs[0] != `mark {"x":3}` {
		t.Errorf("executed: %v", w.tools.runs)
	}
}

// TestTheOnlyReviewerMayEdit: where nobody else can approve, the author can.
func TestTheOnlyReviewerMayEdit(t *testing.T) {
	t.Parallel()
	w, _ := dictatedWorld(t, nil)
	run, card := markOnce(w, `{"x":1}`)
	w.decide(rex, card.ID, editTo(`{"x":2}`))
	w.advance(run.ID)
	if len(w.tools.runs) != 1 || w.tools.runs[0] != `mark {"x":2}` {
		t.Errorf("executed: %v", w.tools.runs)
	}
}

// TestAnAuthorLeftAloneMayApprove: the other reviewer has gone since the edit.
func TestAnAuthorLeftAloneMayApprove(t *testing.T) {
	t.Parallel()
	w, _ := dictatedWorld(t, nil)
	w.staff(agent.Viewer{UserID: "rey", Email: rey.Email, Role: agent.RoleReviewer}, ada)
	run, card := markOnce(w, `{"x":1}`)
	w.decide(ada, card.ID, editTo(`{"x":2}`))
	_, err := w.service.Decide(t.Context(), ada, card.ID, approves())
	w.wantCode(err, agent.Forbidden)
	for _, v := range []agent.Viewer{rex, rey} {
		w.must(w.store.PatchUser(t.Context(), v.UserID, agent.UserPatch{Role: new(agent.RoleReviewer), Disabled: new(true)}))
	}
	w.decide(ada, card.ID, approves())
	w.advance(run.ID)
	if len(w.tools.runs) != 1 || w.tools.runs[0] != `mark {"x":2}` {
		t.Errorf("executed: %v", w.tools.runs)
	}
}

// TestEditRaisesTheRisk: edited arguments of a higher risk are asked of those who
// may decide that risk, as many as it takes, and never of their author.
func TestEditRaisesTheRisk(t *testing.T) {
	t.Parallel()
	w, _ := dictatedWorld(t, nil)
	w.staff(rey, ada)
	run := w.post(message([]agent.CallRequest{{ID: "a", Name: "run_shell", Arguments: `{"command":"ls"}`}}))
	card := w.card()
	w.decide(rex, card.ID, editTo(`{"command":"rm -rf build"}`))
	risen := w.card()
	if risen.Risk != agent.RiskCritical || risen.Needs != 2 || risen.Generation != 2 || string(risen.OriginalArgs) != `{"command":"ls"}` {
		t.Fatalf("after the edit: %+v", risen)
	}
	_, err := w.service.Decide(t.Context(), rex, card.ID, approves())
	w.wantCode(err, agent.Forbidden)
	_, err = w.service.Decide(t.Context(), rey, card.ID, agent.Decision{Verb: agent.DecideApprove, Generation: 1, ArgsHash: card.ArgsHash})
	w.wantCode(err, agent.Conflict)
	for i, v := range []agent.Viewer{rey, ada} {
		if w.advance(run.ID); len(w.tools.runs) != 0 {
			t.Fatalf("executed after %d votes: %v", i, w.tools.runs)
		}
		w.decide(v, card.ID, agent.Decision{Verb: agent.DecideApprove, Generation: 2, ArgsHash: risen.ArgsHash})
	}
	w.advance(run.ID)
	if len(w.tools.runs) != 1 || w.tools.runs[0] != `run_shell {"command":"rm -rf build"}` {
		t.Errorf("executed: %v", w.tools.runs)
	}
}

// TestRefusedFromMemory: a refused call is refused without asking when the model
// tries it again, in whatever order it writes the arguments; another one asks.
func TestRefusedFromMemory(t *testing.T) {
	t.Parallel()
	w, _ := dictatedWorld(t, nil)
	call := func(id, args string) []agent.CallRequest {
		return []agent.CallRequest{{ID: id, Name: "mark", Arguments: args}}
	}
	run := w.post(message(call("a", `{"x":1,"y":[1,2]}`), call("b", `{"x":1,"y":[1,2]}`), call("c", ` { "y" : [1,2.0] , "x" : 1.0 } `), call("d", `{"x":1,"y":[2,1]}`)))
	w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideReject, Comment: "not today"})
	w.advance(run.ID)
	if card := w.card(); card.ToolCallID != "d" {
		t.Fatalf("asked is %s", card.ToolCallID)
	}
	w.decide(rex, w.card().ID, approves())
	w.advance(run.ID)
	var results []string
	for _, m := range w.soundHistory() {
		if m.Role == agent.FromTool {
			results = append(results, m.Content)
		}
	}
	const before = "Error (rejected): A person has already refused this call with these arguments in this run. Do not try it again; find another way or ask."
	want := []string{
		"Error (rejected): A person refused this call. Reason: not today. Do not try it again unless asked to.",
		before, before, `result of mark {"x":1,"y":[2,1]}`,
	}
	for i := range want {
		if i >= len(results) || results[i] != want[i] {
			t.Errorf("results %q, want %q", results, want)
			break
		}
	}
	if w.tools.executed("mark") != 1 {
		t.Errorf("executed: %v", w.tools.runs)
	}
}
