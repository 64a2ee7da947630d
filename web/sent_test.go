package web_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/web"
)

// TestWholeApproval: an approval is sent with everything that is known of it.
func TestWholeApproval(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	rex := s.user("rex@example.org", agent.RoleAdmin)
	card := shellCard(agent.RiskHigh, "ls")
	card.Author, card.OriginalArgs, card.EscalatedTo = "rex@example.org", json.RawMessage(`{"command":"rm"}`), "boss@example.org"
	card.AuthorNote = "mind the tyre"
	card.BudgetID, card.RefillAt = "b", s.clock.Now().Add(time.Hour)
	card = s.paused(rex, "a", card)
	card.Decision, card.RaiseTokensBy, card.RaiseMicrosBy, card.N = agent.DecideResume, 5, 6, 7
	card.Status, card.DecidedBy, card.DecidedAt = agent.ApprovalDecided, "rex@example.org", s.clock.Now()
	run, err := s.db.Run(t.Context(), agent.Viewer{UserID: rex.ID, Role: agent.RoleAdmin}, card.RunID)
	s.ok(err)
	s.append(run, agent.Change{Run: run, Approvals: []agent.ApprovalChange{{Approval: card, From: agent.ApprovalPending}}})
	s.client(rex).call("GET", "/api/v1/approvals/"+card.ID, "").check(t, want{status: http.StatusOK, has: []string{
		`"author":`, `"authorNote":"mind the tyre"`, `"originalArgs":`, `"escalatedTo":`, `"budgetId":`, `"refillAt":`, `"raiseTokensBy":5`, `"raiseMicrosBy":6`, `"n":7`,
	}})
}

// TestFailedRunGoesOn: a run that failed is taken up again, as a new one.
func TestFailedRunGoesOn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleUser)
	run := s.started(ana, "a")
	run.State.Outputs = map[string]string{"sum": "number"}
	run.State.Values = map[string]json.RawMessage{"sum": json.RawMessage("7")}
	run.Status, run.StopReason, run.EndedAt = agent.StatusFailed, agent.StopProviderError, s.clock.Now()
	s.append(run, agent.Change{Run: run, Events: []agent.Event{{Data: agent.Finish{Status: run.Status, StopReason: run.StopReason, Model: "demo"}}}})
	c := s.client(ana)
	c.call("GET", "/api/v1/runs/"+run.ID, "").check(t, want{status: http.StatusOK, has: []string{`"values":{"sum":7}`}})
	c.call("POST", "/api/v1/runs/"+run.ID+"/again", "").check(t, want{status: http.StatusAccepted, has: []string{`"runId":`}, hasNot: []string{run.ID}})
}

// describedTool is a tool that shows itself.
type describedTool struct{ oneTool }

func (describedTool) Specs() []agent.ToolSpec {
	return []agent.ToolSpec{{
		Name: "look", Description: "Looks.", Parameters: json.RawMessage(`{"type":"object"}`),
		Effect: agent.EffectRead, Risk: agent.RiskLow, Idempotent: true, Source: "builtin",
	}}
}

// seeingModels offer one model that takes pictures.
type seeingModels struct{ fixedModels }

func (seeingModels) Models() []agent.ModelInfo { return []agent.ModelInfo{{ID: "demo", Vision: true}} }

func TestToolsAndModelsByProgram(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *web.Options) { o.Tools, o.Models = describedTool{}, seeingModels{} })
	c := s.client(s.user("ana@example.org", agent.RoleUser))
	c.call("GET", "/api/v1/tools", "").check(t, want{status: http.StatusOK, has: []string{
		`"name":"look","description":"Looks.","parameters":{"type":"object"},"effect":"read","risk":"low","polling":false,"idempotent":true,"source":"builtin"`,
	}})
	c.call("GET", "/api/v1/models", "").check(t, want{status: http.StatusOK, has: []string{`"vision":true`}})
}

// TestDeadDelivery: a delivery that is given up says why.
func TestDeadDelivery(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.client(s.user("ana@example.org", agent.RoleAdmin))
	c.call("POST", "/api/v1/notifications/test", `{"channel":"webhook"}`).check(t, want{status: http.StatusCreated})
	s.tried(func(d *agent.Delivery) { d.State, d.Problem = agent.DeliveryDead, "It answered 500." })
	c.call("GET", "/api/v1/notifications?state=dead", "").check(t, want{status: http.StatusOK, has: []string{`"problem":"It answered 500."`}})
}

// TestWholeLedgerEntry: an entry says what was spent, on what, and on whose account.
func TestWholeLedgerEntry(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin := s.user("admin@example.org", agent.RoleAdmin)
	c := s.client(admin)
	c.call("PATCH", "/api/v1/users/"+admin.ID, `{"group":"Research"}`).check(t, want{status: http.StatusOK})
	c.call("POST", "/api/v1/budgets", `{"who":"user","subject":"admin@example.org","window":"month","limitTokens":100000}`).check(t, want{status: http.StatusCreated})
	run := s.started(admin, "a")
	now := s.clock.Now()
	s.append(run, agent.Change{Run: run, Steps: []agent.Step{{
		RunID: run.ID, N: 2, Kind: agent.StepCompaction, ConversationID: run.ConversationID, UserID: run.UserID, Model: "m", Provider: "local",
		Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 5, OutputTokens: 5}}, CostMicros: 5, NamedMicros: 7, StartedAt: now, EndedAt: now,
	}}})
	c.call("GET", "/api/v1/ledger?run="+run.ID, "").check(t, want{status: http.StatusOK, has: []string{
		`"group":"Research"`, `"provider":"local"`, `"stepKind":`, `"accounts":[{`, `"budgetId":`, `"subject":`, `"startsAt":`, `"namedMicros":7`,
	}})
}

// TestDecisionFields: each kind of approval takes the fields that belong to its answer.
func TestDecisionFields(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	rex := s.user("rex@example.org", agent.RoleAdmin)
	loop := loopCard()
	loop.Options = append(loop.Options, agent.Option{ID: agent.ResumeAllowMore, Label: "More"})
	question := agent.Approval{
		Kind: agent.KindQuestion, Risk: agent.RiskLow, Message: "Which?", Evidence: json.RawMessage(`{"question":"Which?"}`),
		Options: []agent.Option{{ID: "one", Label: "One"}},
	}
	written := shellCard(agent.RiskMedium, "go test ./a")
	written.ToolName, written.Pattern = "make", agent.Pattern{"command": "go test *"}
	s.ok(s.db.AddPolicyRule(t.Context(), agent.Viewer{Email: rex.Email}, agent.PolicyRule{
		ID: "files", Tool: "run_shell", ArgsHash: "0123456789abcdef", Action: agent.ActionAllow, Source: agent.RuleFromApproval, ApprovalID: "a", CreatedAt: s.clock.Now(),
		FilesDecide: true, Files: []agent.SeenFile{{Path: "Makefile", Hash: "h"}, {Path: "lib/a.mk", Hash: "i", Wide: true}},
	}))
	for _, tc := range []struct {
		name, body string
		card       agent.Approval
		has        []string
	}{
		{"days of a rule", `{"decision":"approve","scope":"always","for":"everybody","days":7,"pattern":{"command":"go test *"}}`, written, []string{`"scope":"always"`}},
		{"more room", `{"decision":"resume","raiseTokensBy":5000}`, budgetCard(), []string{`"raiseTokensBy":5000`}},
		{"more money", `{"decision":"resume","raiseTokensBy":5000,"raiseMicrosBy":6000}`, budgetCard(), []string{`"raiseMicrosBy":6000`}},
		{"more calls", `{"decision":"resume","answer":"allow_more","n":3}`, loop, []string{`"n":3`}},
		{"a choice", `{"decision":"answer","choices":["one"]}`, question, []string{`"answer":`}},
	} {
		card := s.paused(rex, tc.name, tc.card)
		got := s.client(rex).call("POST", "/api/v1/approvals/"+card.ID+"/decision", tc.body)
		got.check(t, want{status: http.StatusOK, has: tc.has})
	}
	s.client(s.user("ada@example.org", agent.RoleAdmin)).call("GET", "/api/v1/policy/rules", "").check(t, want{status: http.StatusOK, has: []string{
		`"filesDecide":true`, `{"path":"lib/a.mk","hash":"i","wide":true}`,
	}})
	s.client(rex).call("GET", "/api/v1/audit?action=approval.", "").check(t, want{status: http.StatusOK, has: []string{`"shown":"`}})
}
