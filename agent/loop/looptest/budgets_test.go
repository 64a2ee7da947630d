package looptest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store"
)

// spender is a world whose model takes 900 tokens of input and 100 of output a step.
func spender(t *testing.T, steps int, budgets ...agent.Budget) *world {
	t.Helper()
	turns := calling(steps, "look", true)
	for i := range turns {
		turns[i].Usage = agent.Usage{Tokens: agent.Tokens{InputTokens: 900, OutputTokens: 100}}
	}
	w := newWorld(t, turns...)
	w.addPeople(adm)
	for _, b := range budgets {
		b.ID, b.CreatedBy, b.CreatedAt = w.ids(), adm.Email, w.clock.Now()
		w.must(w.store.AddBudget(t.Context(), adm, b))
	}
	return w
}

func (w *world) evidence(a agent.Approval) agent.BudgetEvidence {
	w.t.Helper()
	var ev agent.BudgetEvidence
	w.must(json.Unmarshal(a.Evidence, &ev))
	return ev
}

// adds holds that the ledger adds up.
func (w *world) adds() {
	w.t.Helper()
	if _, err := store.CheckLedger(w.t.Context(), w.path, time.UTC); err != nil {
		w.t.Error(err)
	}
}

// TestSharedBudgetPausesAndIsRaisedByAdmins: at the limit of everybody an approval shows
// the numbers; only an admin raises it, and the limit rises by exactly what they add.
func TestSharedBudgetPausesAndIsRaisedByAdmins(t *testing.T) {
	t.Parallel()
	w := spender(t, 9, agent.Budget{Who: agent.WhoEverybody, Span: agent.SpanDay, LimitTokens: 5000, AtLimit: agent.LimitPause})
	run := w.post("spend")
	card := w.card()
	ev := w.evidence(card)
	if run.Status != agent.StatusPaused || run.Usage.Total() > 5000 || ev.Scope != "everybody_day" || ev.UsedTokens != run.Usage.Total() ||
		ev.LimitTokens != 5000 || ev.NextStepTokens <= 5000-ev.UsedTokens || ev.ResetsAt.Sub(w.clock.Now()) != 15*time.Hour {
		t.Fatalf("run %s with %d tokens, card %+v", run.Status, run.Usage.Total(), ev)
	}
	if !strings.HasPrefix(card.Message, "The token budget of everybody for today would be exceeded: ") {
		t.Errorf("the card says %q", card.Message)
	}
	for _, verb := range []agent.Verb{agent.DecideApprove, agent.DecideResume} {
		if _, err := w.service.Decide(t.Context(), rex, card.ID, agent.Decision{Verb: verb}); agent.CodeOf(err) != agent.Forbidden {
			t.Errorf("a reviewer raised everybody's budget by %s: %v", verb, err)
		}
	}
	before := run.Usage.Total()
	w.decide(adm, card.ID, agent.Decision{Verb: agent.DecideApprove, RaiseTokensBy: 2500})
	run = w.advance(run.ID)
	if spent := run.Usage.Total(); run.Status != agent.StatusPaused || spent <= before || spent > 7500 {
		t.Errorf("raised by 2500 the run is %s with %d tokens", run.Status, spent)
	}
	standings, err := w.store.BudgetStatuses(t.Context())
	w.must(err)
	if len(standings) != 1 || standings[0].TokenLimit() != 7500 || standings[0].UsedTokens != run.Usage.Total() || standings[0].ReservedTokens != 0 {
		t.Errorf("the budget stands at %+v", standings)
	}
	rows, _, err := w.store.AuditRows(t.Context(), agent.AuditFilter{Action: "approval.decide"}, agent.Page{})
	w.must(err)
	if len(rows) != 1 || !strings.Contains(rows[0].Detail, `"raiseTokensBy":2500`) || rows[0].Actor != adm.Email {
		t.Errorf("the audit log says %+v", rows)
	}
	w.adds()
}

// TestBudgetRefills: a run that waits for tomorrow's budget continues by itself
// when tomorrow comes, and one whose budget was ended at once.
func TestBudgetRefills(t *testing.T) {
	t.Parallel()
	w := spender(t, 12, agent.Budget{Who: agent.WhoUser, Span: agent.SpanDay, LimitTokens: 5000, AtLimit: agent.LimitPause})
	run := w.post("spend")
	first := run.Usage.Total()
	w.must(w.service.Tick(t.Context()))
	if run = w.advance(run.ID); run.Status != agent.StatusPaused || run.Usage.Total() != first {
		t.Fatalf("before its time the run is %s", run.Status)
	}
	w.clock.Advance(15 * time.Hour) // midnight
	w.must(w.service.Tick(t.Context()))
	run = w.advance(run.ID)
	if run.Status != agent.StatusPaused || run.Usage.Total() <= first || run.Usage.Total() > first+5000 {
		t.Fatalf("on the next day the run is %s with %d tokens", run.Status, run.Usage.Total())
	}
	budgets, err := w.store.Budgets(t.Context())
	w.must(err)
	w.must(w.store.EndBudget(t.Context(), adm, budgets[0].ID))
	w.must(w.service.Tick(t.Context()))
	if run = w.advance(run.ID); run.Status != agent.StatusFinished {
		t.Errorf("without a budget the run is %s (%s)", run.Status, run.StopReason)
	}
	decided := find[agent.ApprovalDecidedEvent](w.events())
	if len(decided) != 2 || decided[0].DecidedBy != agent.System {
		t.Errorf("decisions: %+v", decided)
	}
	w.adds()
}

// TestBudgetStops: a budget that stops asks nobody.
func TestBudgetStops(t *testing.T) {
	t.Parallel()
	w := spender(t, 9, agent.Budget{Who: agent.WhoEverybody, Span: agent.SpanMonth, LimitMicros: 5000, AtLimit: agent.LimitStop})
	run := w.post("spend")
	if run.Status != agent.StatusStopped || run.StopReason != agent.StopCostBudget || run.CostMicros > 5000 || run.CostMicros == 0 {
		t.Errorf("run %s (%s) at %d", run.Status, run.StopReason, run.CostMicros)
	}
	w.adds()
}

// TestSoftBudgetWarns: a soft budget holds nothing up and warns twice, once for each share.
func TestSoftBudgetWarns(t *testing.T) {
	t.Parallel()
	w := spender(t, 9, agent.Budget{Who: agent.WhoEverybody, Span: agent.SpanWeek, LimitTokens: 5000, Soft: true})
	run := w.post("spend")
	if run.Status != agent.StatusFinished || run.Usage.Total() < 9000 {
		t.Fatalf("run %s with %d", run.Status, run.Usage.Total())
	}
	var levels []string
	for _, e := range find[agent.BudgetEvent](w.events()) {
		if e.BudgetID != "" {
			levels = append(levels, e.Level)
		}
	}
	if !slices.Equal(levels, []string{"warning", "reached"}) {
		t.Errorf("told %q", levels)
	}
	n, err := w.store.UnseenAlerts(t.Context(), adm)
	w.must(err)
	if n != 2 {
		t.Errorf("%d alerts for admins, want 2", n)
	}
}

// TestBudgetChangesModel: from 80 % on a cheaper model answers; its price counts.
func TestBudgetChangesModel(t *testing.T) {
	t.Parallel()
	w := spender(t, 12, agent.Budget{Who: agent.WhoEverybody, Span: agent.SpanDay, LimitMicros: 10_000, AtLimit: agent.LimitCheaper, Model: "small"})
	w.runner.Loop.Settings.Price = func(model string) (agent.Price, bool) {
		if model == "small" {
			return agent.Price{Input: 100_000, Output: 200_000}, true
		}
		return agent.Price{Input: 1_000_000, Output: 2_000_000}, true
	}
	run := w.post("spend")
	if run.Status != agent.StatusFinished || run.CostMicros > 10_000 || run.CostMicros < 8000 {
		t.Fatalf("run %s (%s) at %d", run.Status, run.StopReason, run.CostMicros)
	}
	var models []string
	for _, r := range w.model.Requests() {
		models = append(models, r.Model)
	}
	if i := slices.Index(models, "small"); i < 7 || slices.Contains(models[i:], "demo") {
		t.Errorf("asked %q", models)
	}
	if told := find[agent.FallbackEvent](w.events()); len(told) != 1 || told[0].Model != "small" || told[0].Reason != "budget" {
		t.Errorf("told %+v", told)
	}
	w.adds()
}

// TestModelWithoutPriceMeetsMoneyBudget: it is held up, not taken for free, until
// somebody agrees to it.
func TestModelWithoutPriceMeetsMoneyBudget(t *testing.T) {
	t.Parallel()
	w := spender(t, 2, agent.Budget{Who: agent.WhoUser, Subject: ana.UserID, Span: agent.SpanMonth, LimitMicros: 1_000_000, AtLimit: agent.LimitPause})
	w.runner.Loop.Settings.Price = func(string) (agent.Price, bool) { return agent.Price{}, false }
	run := w.post("spend")
	card := w.card()
	if ev := w.evidence(card); run.Status != agent.StatusPaused || !ev.Unpriced || ev.Model != "demo" || !strings.Contains(card.Message, "has no price") {
		t.Fatalf("run %s, card %q %+v", run.Status, card.Message, ev)
	}
	w.decide(adm, card.ID, agent.Decision{Verb: agent.DecideApprove})
	if run = w.advance(run.ID); run.Status != agent.StatusFinished {
		t.Errorf("run %s (%s)", run.Status, run.StopReason)
	}
	steps, err := w.store.Steps(t.Context(), run.ID)
	w.must(err)
	if len(steps) == 0 || !steps[0].Unpriced || steps[0].CostMicros != 0 {
		t.Errorf("steps %+v", steps)
	}
	w.adds()
}

// TestOwnBudgetWarnsOnce: a run's own budget warns at 80 %, in its log and its owner's bell.
func TestOwnBudgetWarnsOnce(t *testing.T) {
	t.Parallel()
	w := spender(t, 9)
	limit := int64(7000)
	_, err := w.store.UpdateConversation(t.Context(), ana, "c", agent.ConversationPatch{RunTokenLimit: &limit})
	w.must(err)
	run := w.post("spend")
	var warned []agent.BudgetEvent
	for _, e := range find[agent.BudgetEvent](w.events()) {
		if e.Level != "" {
			warned = append(warned, e)
		}
	}
	if run.Status != agent.StatusPaused || len(warned) != 1 || warned[0].Level != "warning" || warned[0].Scope != "run" || warned[0].UsedTokens != 6000 {
		t.Errorf("run %s, told %+v", run.Status, warned)
	}
	alerts, _, err := w.store.Alerts(t.Context(), ana, agent.Page{})
	w.must(err)
	if len(alerts) != 1 || !strings.Contains(alerts[0].Message, "6k of 7k tokens") {
		t.Errorf("alerts %+v", alerts)
	}
}

// TestNothingIsHeldAfterARun: however a run ends or is cut, it holds nothing.
func TestNothingIsHeldAfterARun(t *testing.T) {
	t.Parallel()
	failing := agenttest.Turn{Text: "half", Err: &agent.ProviderError{Message: "The model is out of reach."}}
	for name, turn := range map[string]agenttest.Turn{
		"answered": {Text: "yes", Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 10, OutputTokens: 1}}}, "failed": failing,
		"asks a person": {Calls: []agent.CallRequest{agenttest.Call("a", "run_shell", `{"command":"ls"}`)}, Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 10}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, turn)
			w.must(w.store.AddBudget(t.Context(), adm, agent.Budget{ID: "b", Who: agent.WhoEverybody, Span: agent.SpanDay, LimitTokens: 1 << 30, LimitMicros: 1 << 40, AtLimit: agent.LimitPause}))
			w.post("go")
			standings, err := w.store.BudgetStatuses(t.Context())
			w.must(err)
			if standings[0].ReservedTokens != 0 || standings[0].ReservedMicros != 0 || standings[0].UsedTokens == 0 {
				t.Errorf("the budget stands at %+v", standings[0])
			}
			w.adds()
		})
	}
}

// TestExpiredBudgetCardRefills: an approval that nobody decided does not keep its run
// from going on once the budget is reset.
func TestExpiredBudgetCardRefills(t *testing.T) {
	t.Parallel()
	w := spender(t, 9, agent.Budget{Who: agent.WhoEverybody, Span: agent.SpanWeek, LimitTokens: 6000, AtLimit: agent.LimitPause})
	run := w.post("spend")
	w.clock.Advance(25 * time.Hour)
	w.must(w.service.Tick(t.Context()))
	if run = w.advance(run.ID); run.Status != agent.StatusPaused {
		t.Fatalf("with an expired card the run is %s", run.Status)
	}
	w.clock.Advance(7 * 24 * time.Hour)
	w.must(w.service.Tick(t.Context()))
	if run = w.advance(run.ID); run.Status != agent.StatusFinished {
		t.Errorf("in the next week the run is %s (%s)", run.Status, run.StopReason)
	}
}

// TestRaiseInOtherUnit: who raises a budget in money by tokens alone lets the run
// go on all the same: what is in the way is raised by what the next step needs.
func TestRaiseInOtherUnit(t *testing.T) {
	t.Parallel()
	w := spender(t, 9, agent.Budget{Who: agent.WhoEverybody, Span: agent.SpanDay, LimitMicros: 5000, AtLimit: agent.LimitPause})
	run := w.post("spend")
	before := run.CostMicros
	w.decide(adm, w.card().ID, agent.Decision{Verb: agent.DecideApprove, RaiseTokensBy: 1000})
	if run = w.advance(run.ID); run.CostMicros <= before {
		t.Errorf("the run stays %s at %d", run.Status, run.CostMicros)
	}
	w.adds()
}
