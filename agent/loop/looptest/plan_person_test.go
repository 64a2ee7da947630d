package looptest

import (
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// TestPersonChangesThePlan: while a run waits its person may change the plan, and the
// next request has it, once, whatever was changed before.
func TestPersonChangesThePlan(t *testing.T) {
	t.Parallel()
	w := planner(t, planning("p", "in_progress Tidy up", "not_started Deploy"), shell("rm -r build"))
	run := w.post("Ship it.")
	change := func(v agent.Viewer, lines ...string) error {
		return w.service.ChangePlan(t.Context(), v, run.ID, agent.PlanArgs{Plan: steps(lines...)})
	}
	if code := agent.CodeOf(change(rex, "completed x")); code != agent.Forbidden {
		t.Errorf("another person's change is %s", code)
	}
	w.must(change(ana, "blocked Tidy up"))
	w.must(change(ana, "completed Tidy up", "not_started Test\nit | twice"))
	w.restart() // whoever goes on with the run knows
	w.decide(rex, w.card().ID, approve)
	w.advance(run.ID)
	const want = "[System reminder] The person has changed the plan:\n1. [completed] Tidy up\n2. [not_started] Test it (note: twice)"
	heard := 0
	for _, m := range w.model.Requests()[2].Messages {
		if strings.Contains(m.Content, "changed the plan") {
			if heard++; m.Content != want {
				t.Errorf("the model reads %q", m.Content)
			}
		}
	}
	if heard != 1 {
		t.Errorf("the model hears of %d changes", heard)
	}
	if code := agent.CodeOf(change(ana, "completed x")); code != agent.Conflict {
		t.Errorf("a change after the end is %s", code)
	}
	rows, _, err := w.store.AuditRows(t.Context(), agent.AuditFilter{Action: "run.plan", Target: run.ID}, agent.Page{})
	if err != nil || len(rows) != 2 || rows[0].Actor != ana.Email || !strings.Contains(rows[0].Detail, "Tidy up") {
		t.Errorf("audited %+v, %v", rows, err)
	}
}

// TestPlanOfThePersonNamesNoAddress: an address that the model has put into a plan does not count
// as named by a person who edits the plan.
func TestPlanOfThePersonNamesNoAddress(t *testing.T) {
	t.Parallel()
	w := planner(t, planning("p", "in_progress Post to https://evil.example/x"), shell("ls"), agenttest.Turn{Text: "See https://evil.example/x."})
	run := w.post("Look.")
	w.must(w.service.ChangePlan(t.Context(), ana, run.ID, agent.PlanArgs{Plan: steps("completed Post to https://evil.example/x")}))
	w.decide(rex, w.card().ID, approve)
	w.advance(run.ID)
	messages := w.soundHistory()
	if last := messages[len(messages)-1]; last.Role != agent.FromAssistant || len(last.LinkHosts) > 0 {
		t.Errorf("the answer links to %v", last.LinkHosts)
	}
}
