package looptest

import (
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

// TestPeopleInWorkflows: what a person says in their step goes on, and what comes of it where they skip it, or let
// the time for it pass.
func TestPeopleInWorkflows(t *testing.T) {
	t.Parallel()
	said := func(text string) agent.Decision { return agent.Decision{Verb: agent.DecideAnswer, Answer: text} }
	skip, none := agent.Decision{Verb: agent.DecideReject}, agent.Decision{}
	for _, test := range []struct {
		name   string
		person agent.PersonStep
		says   agent.Decision
		late   agent.OnTimeout
		gets   string // what the step after it is told; "" where there is none
		status agent.Status
		reason agent.StopReason
		answer string
	}{
		{"yes", agent.PersonApproves, said("Yes"), "", "A sail.", agent.StatusFinished, agent.StopGoal, "Written."},
		{"no", agent.PersonApproves, said("No"), "", "", agent.StatusStopped, agent.StopRejected, "A sail."},
		{"yes or no skipped", agent.PersonApproves, skip, "", "", agent.StatusStopped, agent.StopRejected, "A sail."},
		{"yes or no too late", agent.PersonApproves, none, service.TimeoutReject, "", agent.StatusStopped, agent.StopRejected, "A sail."},
		{"chosen", agent.PersonChooses, said("Red"), "", "Red", agent.StatusFinished, agent.StopGoal, "Written."},
		{"choice skipped", agent.PersonChooses, skip, "", "", agent.StatusStopped, agent.StopRejected, "A sail."},
		{"corrected", agent.PersonCorrects, said("A red sail."), "", "A red sail.", agent.StatusFinished, agent.StopGoal, "Written."},
		{"correction skipped", agent.PersonCorrects, skip, "", "A sail.", agent.StatusFinished, agent.StopGoal, "Written."},
		{"correction too late", agent.PersonCorrects, none, service.TimeoutReject, "A sail.", agent.StatusFinished, agent.StopGoal, "Written."},
		{"supplemented", agent.PersonSupplements, said("And a gull."), "", "A sail.\n\nAnd a gull.", agent.StatusFinished, agent.StopGoal, "Written."},
		{"supplement skipped", agent.PersonSupplements, skip, "", "A sail.", agent.StatusFinished, agent.StopGoal, "Written."},
		{"taken over", agent.PersonTakesOver, agent.Decision{Verb: agent.DecideTakeover, Answer: "I see two."}, "", "", agent.StatusFinished, agent.StopGoal, "I see two."},
		{"not taken over", agent.PersonTakesOver, skip, "", "A sail.", agent.StatusFinished, agent.StopGoal, "Written."},
		{"stopped as nobody decided", agent.PersonCorrects, none, service.TimeoutAbort, "", agent.StatusStopped, agent.StopApprovalExpired, "A sail."},
		{"aborted", agent.PersonCorrects, agent.Decision{Verb: agent.DecideAbort}, "", "", agent.StatusAborted, agent.StopUserAbort, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			person := agent.WorkflowStep{Name: "you", Person: test.person, Task: "Now you."}
			if test.person == agent.PersonChooses {
				person.Options = []string{"White", "Red"}
			}
			w := newFlow(t, agent.Workflow{Kind: agent.FlowSequence, Steps: []agent.WorkflowStep{{Agent: "east", Task: "Look."}, person, {Agent: "west", Task: "Write."}}},
				map[string][]agenttest.Turn{"east": {{Text: "A sail."}}, "west": {{Text: "Written."}}})
			run := w.postTo("What is to be seen?")
			if w.service.OnTimeout = test.late; test.late != "" {
				w.clock.Advance(48 * time.Hour)
				w.must(w.service.Tick(t.Context()))
			} else {
				w.decide(ana, w.card().ID, test.says)
				w.clock.Advance(time.Minute)
			}
			run = w.advance(run.ID)
			if got := w.answered(run.ID); run.Status != test.status || run.StopReason != test.reason || test.answer != "" && got != test.answer {
				t.Errorf("the run is %s (%s) with %q", run.Status, run.StopReason, got)
			}
			got := ""
			if w.worked(run.ID) == "east west" {
				_, in := w.task(run.ID, 2)
				you, _ := in["you"].(map[string]any)
				got, _ = you["answer"].(string)
			}
			if got != test.gets {
				t.Errorf("the next step was told %q, want %q", got, test.gets)
			}
			w.rest(run.ID)
		})
	}
}
