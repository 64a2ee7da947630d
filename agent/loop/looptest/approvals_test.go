package looptest

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

var (
	ria = agent.Viewer{UserID: "ria", Email: "ria@example.org", Role: agent.RoleReviewer}
	adm = agent.Viewer{UserID: "adm", Email: "adm@example.org", Role: agent.RoleAdmin}
)

// addPeople adds accounts beside ana and rex.
func (w *world) addPeople(people ...agent.Viewer) {
	w.t.Helper()
	for _, v := range people {
		w.must(w.store.CreateUser(w.t.Context(), agent.User{ID: v.UserID, Email: v.Email, Role: v.Role, CreatedAt: w.clock.Now()}, "x"))
	}
}

// tryDecide is a decision that may fail.
func (w *world) tryDecide(v agent.Viewer, id string, d agent.Decision) error {
	w.t.Helper()
	_, err := w.service.Decide(w.t.Context(), v, id, d)
	return err
}

func (w *world) approval(id string) agent.Approval {
	w.t.Helper()
	a, err := w.store.Approval(w.t.Context(), adm, id)
	w.must(err)
	return *a
}

func wantError(t *testing.T, err error, code agent.Code, text string) {
	t.Helper()
	if agent.CodeOf(err) != code || !strings.Contains(agent.MessageOf(err), text) {
		t.Errorf("error %v, want %s with %q", err, code, text)
	}
	var e *agent.Error
	if code == agent.Conflict && (!errors.As(err, &e) || e.Current == nil) {
		t.Errorf("the conflict does not say what stands: %v", err)
	}
}

// shell is a turn that runs one command.
func shell(command string) agenttest.Turn {
	args, _ := json.Marshal(map[string]string{"command": command})
	return agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("c-"+command, "run_shell", string(args))}}
}

var approve = agent.Decision{Verb: agent.DecideApprove}

// TestCriticalNeedsTwo: what is critical runs after two different people have
// approved it; with one reviewer in the instance, one is enough.
func TestCriticalNeedsTwo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shell("rm -rf build"))
	w.addPeople(ria)
	run := w.post("clean")
	card := w.card()
	if card.Risk != agent.RiskCritical || card.Needs != 2 {
		t.Fatalf("a card of %s risk needs %d", card.Risk, card.Needs)
	}
	wantError(t, w.tryDecide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove, Scope: agent.ScopeRun}), agent.Invalid, "only be approved with the scope once")
	w.decide(rex, card.ID, approve)
	if run = w.advance(run.ID); run.Status != agent.StatusPaused || w.tools.executed("run_shell") != 0 {
		t.Fatalf("after one vote the run is %s, executed %d times", run.Status, w.tools.executed("run_shell"))
	}
	if a := w.approval(card.ID); len(a.Votes) != 1 || a.Votes[0].By != rex.Email || a.Status != agent.ApprovalPending {
		t.Errorf("votes %+v, %s", a.Votes, a.Status)
	}
	wantError(t, w.tryDecide(rex, card.ID, approve), agent.Forbidden, "another reviewer")
	w.restart()
	w.decide(ria, card.ID, approve)
	if run = w.advance(run.ID); run.Status != agent.StatusFinished || w.tools.executed("run_shell") != 1 {
		t.Errorf("after two votes the run is %s, executed %d times", run.Status, w.tools.executed("run_shell"))
	}
	wantError(t, w.tryDecide(ria, card.ID, approve), agent.Conflict, "Already decided: approve by ria@example.org")

	alone := newWorld(t, shell("rm -rf build"))
	run = alone.post("clean")
	alone.decide(rex, alone.card().ID, approve)
	if run = alone.advance(run.ID); run.Status != agent.StatusFinished {
		t.Errorf("with one reviewer the run is %s", run.Status)
	}
}

// TestOneRejectsWhatTwoApprove: a single no is enough.
func TestOneRejectsWhatTwoApprove(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shell("rm -rf build"))
	w.addPeople(ria)
	run := w.post("clean")
	card := w.card()
	w.decide(rex, card.ID, approve)
	w.decide(ria, card.ID, agent.Decision{Verb: agent.DecideReject, Comment: "not this folder"})
	run = w.advance(run.ID)
	calls, err := w.store.ToolCalls(t.Context(), run.ID)
	w.must(err)
	if w.tools.executed("run_shell") != 0 || !strings.Contains(calls[0].Result, "not this folder") {
		t.Errorf("executed %d times, result %q", w.tools.executed("run_shell"), calls[0].Result)
	}
}

// TestFourEyes: people cannot decide their own requests, and do not count as one of two.
func TestFourEyes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shell("ls"))
	w.service.FourEyes = true
	w.post("look")
	card := w.card()
	wantError(t, w.tryDecide(agent.Viewer{UserID: ana.UserID, Email: ana.Email, Role: agent.RoleReviewer}, card.ID, approve), agent.Forbidden, "")
	w.decide(rex, card.ID, approve)
}

// TestUndo: within the window the call has not run, and one click puts its approval
// back; behind it there is nothing to undo.
func TestUndo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shell("ls"))
	w.service.UndoWindow = 10 * time.Second
	run := w.post("look")
	card := w.card()
	w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove, Scope: agent.ScopeConversation})
	w.clock.Advance(9 * time.Second)
	if run = w.advance(run.ID); w.tools.executed("run_shell") != 0 {
		t.Fatal("the call ran within the undo window")
	}
	_, err := w.service.Undo(t.Context(), ana, card.ID)
	wantError(t, err, agent.Forbidden, "")
	back, err := w.service.Undo(t.Context(), rex, card.ID)
	w.must(err)
	if back.Status != agent.ApprovalPending || back.Generation != 2 || back.DecidedBy != "" {
		t.Errorf("after undo the card is %+v", back)
	}
	if run, err = w.store.Run(t.Context(), ana, run.ID); err != nil || run.Status != agent.StatusPaused {
		t.Errorf("after undo the run is %+v, %v", run, err)
	}
	w.restart()
	w.service.UndoWindow = 10 * time.Second
	w.clock.Advance(time.Minute)
	if run = w.advance(run.ID); run.Status != agent.StatusPaused || w.tools.executed("run_shell") != 0 {
		t.Fatalf("after undo the run is %s, executed %d times", run.Status, w.tools.executed("run_shell"))
	}
	wantError(t, w.tryDecide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove, Generation: 1}), agent.Conflict, "has changed")
	w.decide(rex, card.ID, approve)
	w.clock.Advance(10 * time.Second)
	if run = w.advance(run.ID); run.Status != agent.StatusFinished || w.tools.executed("run_shell") != 1 {
		t.Errorf("behind the window the run is %s, executed %d times", run.Status, w.tools.executed("run_shell"))
	}
	_, err = w.service.Undo(t.Context(), rex, card.ID)
	wantError(t, err, agent.Conflict, "nothing to undo")
}

// TestParkedIsAskedAgain: an expired approval counts as nothing, keeps its run, and
// waits again after one click.
func TestParkedIsAskedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shell("ls"))
	run := w.post("look")
	card := w.card()
	w.clock.Advance(24 * time.Hour)
	w.must(w.service.Tick(t.Context()))
	if a := w.approval(card.ID); a.Status != agent.ApprovalExpired {
		t.Fatalf("the card is %s, want expired", a.Status)
	}
	if run = w.advance(run.ID); run.Status != agent.StatusPaused || w.tools.executed("run_shell") != 0 {
		t.Fatalf("the run is %s", run.Status)
	}
	wantError(t, w.tryDecide(rex, card.ID, approve), agent.Conflict, "Ask again")
	w.restart()
	again, err := w.service.Reopen(t.Context(), ana, card.ID)
	w.must(err)
	if again.Generation != 2 || !again.ExpiresAt.Equal(w.clock.Now().Add(24*time.Hour)) {
		t.Errorf("asked again: %+v", again)
	}
	_, err = w.service.Reopen(t.Context(), ana, card.ID)
	wantError(t, err, agent.Conflict, "not expired")
	w.decide(rex, card.ID, approve)
	if run = w.advance(run.ID); run.Status != agent.StatusFinished || w.tools.executed("run_shell") != 1 {
		t.Errorf("the run is %s, executed %d times", run.Status, w.tools.executed("run_shell"))
	}
}

// TestQuestion: the agent's own question is answered by the person it works for,
// with options by their labels; it is never executed.
func TestQuestion(t *testing.T) {
	t.Parallel()
	ask := func(more string) *world {
		w := newWorld(t, agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("q", "ask_user", `{"question":"Which city?"`+more+`}`)}})
		w.service.FourEyes = true // a question is not a request of the owner's: the owner is the one who is asked
		w.tools.specs = append(w.tools.specs, agent.ToolSpec{Name: "ask_user", Effect: agent.EffectRead, AsksPerson: true})
		w.post("weather")
		return w
	}
	for _, tt := range []struct {
		name, args string
		dec        agent.Decision
		want       string
		field      string // of the error
	}{
		{"a text", ``, agent.Decision{Answer: " Bern "}, "Bern", ""},
		{"nothing", ``, agent.Decision{Answer: " "}, "", "answer"},
		{"one of several", `,"options":["Bern","Basel"]`, agent.Decision{Answer: "2"}, "Basel", ""},
		{"one of several by its label", `,"options":["Bern","Basel"],"free_text":false`, agent.Decision{Answer: "Basel"}, "Basel", ""},
		{"a text of one's own", `,"options":["Bern","Basel"]`, agent.Decision{Answer: "Biel"}, "Biel", ""},
		{"several", `,"options":["Bern","Basel","Biel"],"multiple":true`, agent.Decision{Choices: []string{"3", "1"}, Answer: "and Chur"}, "Bern; Biel; and Chur", ""},
		{"several where one is wanted", `,"options":["Bern","Basel"]`, agent.Decision{Choices: []string{"1", "2"}}, "", "choices"},
		{"a draft as it is", `,"draft":"Dear Bo,\n\nyes.\n"`, agent.Decision{Answer: "Dear Bo,\n\nyes.\n"}, "Dear Bo,\n\nyes.\n", ""},
		{"a draft as a person wants it", `,"draft":"Dear Bo,\n\nyes.\n","free_text":false`, agent.Decision{Answer: "\n  Bo,\n\nno. "}, "\n  Bo,\n\nno. ", ""},
		{"nothing in place of a draft", `,"draft":"Dear Bo"`, agent.Decision{Answer: "\n"}, "", "answer"},
		{"an option in place of a draft", `,"draft":"Dear Bo"`, agent.Decision{Answer: "x", Choices: []string{"1"}}, "", "choices"},
		{"a draft without a text", `,"options":["Bern","Basel"],"draft":" "`, agent.Decision{Answer: "1"}, "Bern", ""},
		{"an option that is not there", `,"options":["Bern","Basel"]`, agent.Decision{Choices: []string{"7"}}, "", "choices"},
		{"a text where only options count", `,"options":["Bern","Basel"],"free_text":false`, agent.Decision{Answer: "Biel"}, "", "answer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := ask(tt.args)
			card := w.card()
			if card.Kind != agent.KindQuestion || card.Message != "Which city?" {
				t.Fatalf("card %+v", card)
			}
			tt.dec.Verb = agent.DecideAnswer
			err := w.tryDecide(ana, card.ID, tt.dec)
			if tt.field != "" {
				var e *agent.Error
				if !errors.As(err, &e) || len(e.Fields) != 1 || e.Fields[0].Field != tt.field {
					t.Errorf("error %v, want one at %s", err, tt.field)
				}
				return
			}
			w.must(err)
			run := w.advance(card.RunID)
			calls, err := w.store.ToolCalls(t.Context(), run.ID)
			w.must(err)
			if calls[0].Result != tt.want || calls[0].Source != agent.SourceHuman || run.Status != agent.StatusFinished || w.tools.executed("ask_user") != 0 {
				t.Errorf("the model reads %q from %q, want %q; the run is %s", calls[0].Result, calls[0].Source, tt.want, run.Status)
			}
		})
	}
	w := ask("")
	w.decide(ana, w.card().ID, agent.Decision{Verb: agent.DecideReject})
	run := w.advance(w.lastRun())
	if calls, err := w.store.ToolCalls(t.Context(), run.ID); err != nil || !strings.Contains(calls[0].Result, "does not want to answer") {
		t.Errorf("calls %+v, %v", calls, err)
	}
}

// TestDraftsThatNobodyIsAsked: a draft beside options, or one that is too long, is told to the
// model and not put before a person.
func TestDraftsThatNobodyIsAsked(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`{"question":"Send it?","draft":"Dear Bo","options":["Yes","No"]}`:         "Choose one: options",
		`{"question":"Send it?","draft":"` + strings.Repeat("é", 10_000) + `"}`:    "",
		`{"question":"Send it?","draft":"` + strings.Repeat("é", 10_000) + `!"}`:   "has 20001 bytes; at most 20000",
		`{"question":"Send it?","draft":"` + strings.Repeat(" ", 30_000) + `"}`:    "",
		`{"question":"Send it?","draft":"` + strings.Repeat("a\\n", 10_001) + `"}`: "has 20002 bytes",
		`{"question":"Send it?","draft":"Dear Bo","options":[],"multiple":true}`:   "",
	} {
		w := newWorld(t, agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("q", "ask_user", args)}})
		w.tools.specs = append(w.tools.specs, agent.ToolSpec{Name: "ask_user", Effect: agent.EffectRead, AsksPerson: true})
		run := w.post("write")
		calls, err := w.store.ToolCalls(t.Context(), run.ID)
		w.must(err)
		if asked := run.Status == agent.StatusPaused; asked != (want == "") || !strings.Contains(calls[0].Result, want) || want != "" && calls[0].ErrorType != agent.ErrInvalidParams {
			t.Errorf("%.60s: the run is %s, the model reads %q (%s)", args, run.Status, calls[0].Result, calls[0].ErrorType)
		}
	}
}

// lastRun is the run of the newest approval.
func (w *world) lastRun() string {
	w.t.Helper()
	items, _, err := w.store.Approvals(w.t.Context(), adm, agent.ApprovalFilter{}, agent.Page{})
	w.must(err)
	return items[0].RunID
}

// patterned is a policy that proposes a pattern for every command.
type patterned struct{ agent.Policy }

func (patterned) Pattern(agent.ToolSpec, json.RawMessage) agent.Pattern {
	return agent.Pattern{"command": "go test *"}
}

// TestWhatScopesCover: a decision covers what it says and no more, and can be taken back.
func TestWhatScopesCover(t *testing.T) {
	t.Parallel()
	start := func(turns ...agenttest.Turn) (*world, agent.Approval) {
		w := newWorld(t, turns...)
		w.addPeople(adm)
		w.runner.Loop.Policy = patterned{w.runner.Loop.Policy}
		w.post("test")
		return w, w.card()
	}
	pattern := agent.Pattern{"command": "go test *"}

	w, card := start(shell("go test ./a"), shell("go test ./b"), shell("go test ./c; rm -rf ."))
	wantError(t, w.tryDecide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove, Scope: agent.ScopeConversation, Pattern: agent.Pattern{"command": "**"}}), agent.Invalid, "pattern")
	w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove, Scope: agent.ScopeConversation, Pattern: pattern})
	w.advance(card.RunID)
	if n := w.tools.executed("run_shell"); n != 2 {
		t.Errorf("the pattern covered %d calls, want 2", n)
	}
	if next := w.card(); next.Risk != agent.RiskCritical {
		t.Errorf("asked about %s", next.Args)
	}

	w, card = start(shell("go test ./a"), shell("go test ./b"))
	w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove, Scope: agent.ScopeRun})
	_, err := w.service.Revoke(t.Context(), ana, card.ID)
	w.must(err)
	w.advance(card.RunID)
	if n := w.tools.executed("run_shell"); n != 0 {
		t.Errorf("a decision that was revoked before it took effect executed %d calls", n)
	}
	if again := w.card(); again.ID != card.ID || again.Generation != 2 {
		t.Errorf("asked again on %s, generation %d", again.ID, again.Generation)
	}
	_, err = w.service.Revoke(t.Context(), ana, card.ID)
	wantError(t, err, agent.Conflict, "nothing to revoke")
}

// TestScopesOutliveTheProcess: what a decision covers in its conversation is covered in the
// next run too, and after a restart, as long as the tool is the one that was decided about.
func TestScopesOutliveTheProcess(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		pattern       agent.Pattern
		next          string
		decided, runs string // fingerprints of the tool that was decided about, and of the one that runs; "" for a built-in one
		executed      int
	}{
		"the pattern":                    {agent.Pattern{"command": "go test *"}, "go test ./b", "", "", 2},
		"the arguments":                  {nil, "go test ./a", "", "", 2},
		"other arguments":                {nil, "go test ./b", "", "", 1},
		"the pattern, from outside":      {agent.Pattern{"command": "go test *"}, "go test ./b", "first", "first", 2},
		"the arguments, from outside":    {nil, "go test ./a", "first", "first", 2},
		"the pattern, of another tool":   {agent.Pattern{"command": "go test *"}, "go test ./b", "first", "second", 1},
		"the arguments, of another tool": {nil, "go test ./a", "first", "second", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			next := shell(tc.next)
			next.Calls[0].ID = "next"
			w := newWorld(t, shell("go test ./a"), agenttest.Turn{Text: "They pass."}, next)
			tool := slices.IndexFunc(w.tools.specs, func(s agent.ToolSpec) bool { return s.Name == "run_shell" })
			w.tools.specs[tool].Fingerprint = tc.decided
			w.runner.Loop.Policy = patterned{w.runner.Loop.Policy}
			run := w.post("test")
			w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideApprove, Scope: agent.ScopeConversation, Pattern: tc.pattern})
			w.advance(run.ID)
			w.restart()
			w.tools.specs[tool].Fingerprint = tc.runs
			w.runner.Loop.Policy = patterned{w.runner.Loop.Policy}
			w.post("test again")
			if n := w.tools.executed("run_shell"); n != tc.executed {
				t.Errorf("%d calls ran, want %d", n, tc.executed)
			}
		})
	}
}

// TestAlways: a standing rule is a reviewer's, has an end, fits exactly what was
// shown or the approval's pattern, and stops when it is revoked.
func TestAlways(t *testing.T) {
	t.Parallel()
	again := shell("ls")
	again.Calls[0].ID = "once more"
	w := newWorld(t, shell("ls"), again, shell("ls -l"))
	w.post("look")
	card := w.card()
	w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove, Scope: agent.ScopeAlways, Days: 7})
	rules, err := w.store.PolicyRules(t.Context())
	w.must(err)
	if len(rules) != 1 || rules[0].CreatedBy != rex.Email || rules[0].ApprovalID != card.ID || rules[0].ArgsHash != card.ArgsHash ||
		!rules[0].ExpiresAt.Equal(w.approval(card.ID).DecidedAt.AddDate(0, 0, 7)) {
		t.Errorf("rules %+v", rules)
	}
	w.advance(card.RunID)
	calls, err := w.store.ToolCalls(t.Context(), card.RunID)
	w.must(err)
	if n := w.tools.executed("run_shell"); n != 2 || calls[1].Authority.String() != "rule:"+rules[0].ID {
		t.Errorf("%d calls ran, the second by %s", n, calls[1].Authority)
	}
	if next := w.card(); !strings.Contains(string(next.Args), "ls -l") {
		t.Errorf("asked about %s", next.Args)
	}
	w.clock.Advance(8 * 24 * time.Hour)
	if rules, err = w.store.PolicyRules(t.Context()); err != nil || len(rules) != 0 {
		t.Errorf("a rule outlived its end: %+v, %v", rules, err)
	}
}

// TestBulk: each approval of a list is decided by itself, and only as it was shown.
func TestBulk(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Turn{Calls: []agent.CallRequest{
		agenttest.Call("c1", "save", `{"x":1}`), agenttest.Call("c2", "save", `{"x":2}`), agenttest.Call("c3", "run_shell", `{"command":"ls"}`),
	}})
	run := w.post("save")
	cards, _, err := w.store.Approvals(t.Context(), rex, agent.ApprovalFilter{Status: agent.ApprovalPending}, agent.Page{})
	w.must(err)
	var items []service.BulkItem
	for _, a := range cards {
		items = append(items, service.BulkItem{ID: a.ID, Generation: a.Generation, ArgsHash: a.ArgsHash})
	}
	items = append(items, service.BulkItem{ID: "nobody", Generation: 1, ArgsHash: "x"})
	items[1].ArgsHash = "another"
	got, err := w.service.DecideMany(t.Context(), rex, items, agent.DecideApprove, "")
	w.must(err)
	want := []agent.Code{"", agent.Conflict, agent.Invalid, agent.NotFound}
	for i, code := range want {
		if got[i].Code != code || got[i].OK != (code == "") {
			t.Errorf("item %d: %+v, want %q", i, got[i], code)
		}
	}
	w.advance(run.ID)
	if n := w.tools.executed("save"); n != 0 { // the batch is not decided yet
		t.Errorf("%d saves ran before the batch was decided", n)
	}
	for _, a := range cards[1:] {
		w.decide(rex, a.ID, agent.Decision{Verb: agent.DecideReject})
	}
	w.advance(run.ID)
	if n := w.tools.executed("save"); n != 1 {
		t.Errorf("%d saves ran, want 1", n)
	}
}

// TestExpiryIsNoRefusal: what no one decided in time may be asked again, by the
// model as well.
func TestExpiryIsNoRefusal(t *testing.T) {
	t.Parallel()
	again := shell("ls")
	again.Calls[0].ID = "once more"
	w := newWorld(t, shell("ls"), again)
	w.service.OnTimeout = service.TimeoutReject
	run := w.post("look")
	first := w.card()
	w.clock.Advance(24 * time.Hour)
	w.must(w.service.Tick(t.Context()))
	w.advance(run.ID)
	if second := w.card(); second.ID == first.ID || second.ToolCallID != "once more" {
		t.Errorf("asked about %s on %s", second.ToolCallID, second.ID)
	}
}

// TestNewerRuleAsksAgain: a rule that asks outranks what was approved before it
// was made, and not what is approved on the approval that it asks.
func TestNewerRuleAsksAgain(t *testing.T) {
	t.Parallel()
	second, third := shell("ls"), shell("ls")
	second.Calls[0].ID, third.Calls[0].ID = "second", "third"
	w := newWorld(t, shell("ls"), second, third)
	run := w.post("look")
	w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideApprove, Scope: agent.ScopeConversation})
	w.clock.Advance(time.Minute)
	w.must(w.store.AddPolicyRule(t.Context(), adm, agent.PolicyRule{
		ID: "careful", Tool: "run_shell", Action: agent.ActionAsk, Source: agent.RuleFromAdmin, CreatedBy: adm.Email, CreatedAt: agent.Stamp(w.clock),
	}))
	w.advance(run.ID)
	card := w.card()
	if card.ToolCallID != "second" {
		t.Fatalf("asked about %s", card.ToolCallID)
	}
	w.clock.Advance(time.Minute)
	w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove, Scope: agent.ScopeConversation})
	if run = w.advance(run.ID); run.Status != agent.StatusFinished || w.tools.executed("run_shell") != 3 {
		t.Errorf("the run is %s, executed %d times", run.Status, w.tools.executed("run_shell"))
	}
}

// TestStandingRuleWaitsForItsUndo: what can be undone lets nothing else pass yet,
// and an undo takes the rule along.
func TestStandingRuleWaitsForItsUndo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shell("ls"))
	w.service.UndoWindow = time.Minute
	w.post("look")
	card := w.card()
	w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove, Scope: agent.ScopeAlways})
	inForce := func() int {
		rules, err := w.store.PolicyRules(t.Context())
		w.must(err)
		return len(rules)
	}
	if n := inForce(); n != 0 {
		t.Errorf("%d rules hold within the undo window", n)
	}
	_, err := w.service.Undo(t.Context(), rex, card.ID)
	w.must(err)
	w.clock.Advance(time.Hour)
	if n := inForce(); n != 0 {
		t.Errorf("%d rules hold behind an undo", n)
	}
	w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove, Scope: agent.ScopeAlways})
	w.clock.Advance(time.Minute)
	if n := inForce(); n != 1 {
		t.Errorf("%d rules hold behind the undo window", n)
	}
}

// TestStandingRuleEndsWithTheRight: who may not approve any more lets nothing
// pass for good either.
func TestStandingRuleEndsWithTheRight(t *testing.T) {
	t.Parallel()
	again := shell("ls")
	again.Calls[0].ID = "once more"
	w := newWorld(t, shell("ls"), again)
	w.addPeople(adm)
	run := w.post("look")
	w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideApprove, Scope: agent.ScopeAlways})
	w.must(w.store.PatchUser(t.Context(), rex.UserID, agent.UserPatch{Role: new(agent.RoleUser), Disabled: new(false)}))
	w.must(w.store.PatchUser(t.Context(), rex.UserID, agent.UserPatch{Role: new(agent.RoleReviewer), Disabled: new(false)}))
	if rules, err := w.store.PolicyRules(t.Context()); err != nil || len(rules) != 1 {
		t.Fatalf("rules %+v, %v", rules, err)
	}
	w.must(w.store.PatchUser(t.Context(), rex.UserID, agent.UserPatch{Role: new(agent.RoleReviewer), Disabled: new(true)}))
	w.advance(run.ID)
	if n := w.tools.executed("run_shell"); n != 0 {
		t.Errorf("%d calls ran on the word of somebody who is gone", n)
	}
	items, _, err := w.store.Approvals(t.Context(), adm, agent.ApprovalFilter{Status: agent.ApprovalPending}, agent.Page{})
	w.must(err)
	if len(items) != 1 {
		t.Errorf("%d cards wait, want 1", len(items))
	}
}

// TestEditCoversItself: edited arguments cover no other call of the conversation.
func TestEditCoversItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shell("ls"))
	w.post("look")
	card := w.card()
	w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideEdit, Args: json.RawMessage(`{"command":"ls -l"}`), Scope: agent.ScopeConversation})
	if a := w.approval(card.ID); a.Scope != agent.ScopeOnce {
		t.Errorf("the decision covers %q", a.Scope)
	}
}
