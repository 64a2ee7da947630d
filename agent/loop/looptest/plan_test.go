package looptest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// planner is a world whose model can write down plans.
func planner(t *testing.T, turns ...agenttest.Turn) *world {
	t.Helper()
	w := newWorld(t, turns...)
	spec := plans
	spec.Name, spec.Pure = agent.UpdatePlanTool, true
	w.tools.specs = append(w.tools.specs, spec)
	w.tools.do[agent.UpdatePlanTool] = func(_ context.Context, in agent.ToolInput) agent.ToolResult {
		var args agent.PlanArgs
		if err := json.Unmarshal(in.Args, &args); err != nil {
			return agent.ToolResult{Content: err.Error(), ErrorType: agent.ErrInvalidParams}
		}
		return agent.ToolResult{Content: "noted", Plan: args.Plan}
	}
	return w
}

// steps is a plan written as "status step" each, with a note behind a stroke.
func steps(lines ...string) []agent.PlanStep {
	var plan []agent.PlanStep
	for _, line := range lines {
		status, rest, _ := strings.Cut(line, " ")
		step, note, _ := strings.Cut(rest, " | ")
		plan = append(plan, agent.PlanStep{Step: step, Status: agent.PlanStatus(status), Note: note})
	}
	return plan
}

func plan(id string, lines ...string) agent.CallRequest {
	return agenttest.Call(id, agent.UpdatePlanTool, string(agent.MustJSON(agent.PlanArgs{Plan: steps(lines...)})))
}

func planning(id string, lines ...string) agenttest.Turn {
	return agenttest.Turn{Calls: []agent.CallRequest{plan(id, lines...)}}
}

// report is a plan of four steps of which two are left.
var report = []string{"completed Read the figures", "completed Check them", "in_progress Write the report | Ben has the template", "not_started Send it"}

// works plans four steps at the start, works, and never says how far it is.
func works(behind ...agenttest.Turn) []agenttest.Turn {
	return append(append([]agenttest.Turn{planning("p", report...)}, calling(2, "look", true)...), behind...)
}

// TestPlanIsKept: the plan is the run's, in the commit that has the call's result, and is
// told once.
func TestPlanIsKept(t *testing.T) {
	t.Parallel()
	w := planner(t, planning("p", report...))
	run := w.post("Report the figures.")
	if diff := cmp.Diff(steps(report...), run.State.Plan.Steps); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	if told := find[agent.PlanEvent](w.events()); len(told) != 1 || !cmp.Equal(told[0].Steps, steps(report...)) {
		t.Errorf("told %+v", told)
	}
}

// TestOpenStepsAreNudgedOnce: who ends with open steps is asked once; after that the run
// ends, and says what is left where the model does not.
func TestOpenStepsAreNudgedOnce(t *testing.T) {
	t.Parallel()
	closed := planning("q", "completed Read the figures", "completed Check them", "completed Write the report", "blocked Send it | no address")
	for name, tc := range map[string]struct {
		turns     []agenttest.Turn
		set       func(w *world)
		requests  int
		nudged    bool
		says, not string
	}{
		"it closes them": {
			turns: []agenttest.Turn{{Text: "All done."}, closed, {Text: "Written. Send it yourself: there is no address."}}, requests: 6, nudged: true, not: "Open",
		},
		"it says the same": {
			turns: []agenttest.Turn{{Text: "All done."}, {Text: "All done!"}}, requests: 5, nudged: true,
			says: "Open in the plan: Write the report (Ben has the template); Send it.",
		},
		"it names them": {
			turns: []agenttest.Turn{{Text: "All done."}, {Text: "I could not write the report, nor send it."}}, requests: 5, nudged: true, not: "Open",
		},
		"nothing but what is blocked": {
			turns: []agenttest.Turn{closed, {Text: "All done."}}, requests: 5, says: "Open in the plan: Send it (no address).",
		},
		"no step is left for it": {
			turns: []agenttest.Turn{{Text: "All done."}}, set: func(w *world) { w.service.Guards.MaxSteps = 4 }, requests: 4, says: "Open in the plan: Write the report",
		},
		"no reminders": {
			turns: []agenttest.Turn{{Text: "All done."}}, set: func(w *world) { w.runner.Loop.Settings.Guards.Nudges = 0 }, requests: 4, says: "Open in the plan: Write the report",
		},
		"by its own end": {
			turns: []agenttest.Turn{{Calls: []agent.CallRequest{agenttest.Call("e", "end", "{}")}}}, requests: 4, says: "Open in the plan: Write the report",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := planner(t, works(tc.turns...)...)
			if tc.set != nil {
				tc.set(w)
			}
			run := w.post("Report the figures.")
			if n := len(w.model.Requests()); n != tc.requests || run.Status != agent.StatusFinished {
				t.Errorf("%d requests, the run is %s (%s)", n, run.Status, run.StopReason)
			}
			reminded := 0
			for _, r := range w.model.Requests() {
				if m := r.Messages[len(r.Messages)-1]; strings.Contains(m.Content, "steps of your plan are open:\n1. [completed] Read the figures\n") {
					reminded++
				}
			}
			if want := map[bool]int{true: 1}[tc.nudged]; reminded != want || len(find[agent.Notice](w.events())) != want {
				t.Errorf("reminded %d times, want %d", reminded, want)
			}
			end := find[agent.Finish](w.events())[0].Message
			if !strings.HasPrefix(end, tc.says) || tc.not != "" && strings.Contains(end, tc.not) {
				t.Errorf("it ends with %q", end)
			}
			w.soundHistory()
		})
	}
}

// TestRewordedPlanIsNoProgress: equal statuses are the same plan to the breakers.
func TestRewordedPlanIsNoProgress(t *testing.T) {
	t.Parallel()
	turns := works(agenttest.Turn{Text: "All done."})
	for i := range 8 {
		turns = append(turns, planning(fmt.Sprint("again", i), fmt.Sprintf("completed Read %d", i), fmt.Sprintf("completed Check %d", i), fmt.Sprintf("in_progress Write %d", i), fmt.Sprintf("not_started Send %d", i)))
	}
	w := planner(t, turns...)
	run := w.post("Report the figures.")
	guard := find[agent.GuardEvent](w.events())
	if len(guard) == 0 || guard[0].Level != agent.Warn.String() || guard[0].Count != 5 {
		t.Errorf("the breakers said %+v", guard)
	}
	if run.Status != agent.StatusPaused || w.card().Kind != agent.KindLoop {
		t.Errorf("the run is %s", run.Status)
	}
}

// TestLastPlanOfAnAnswerStands: each call has its result, whichever ends first, and the
// plan is that of the last one, also where that is equal to the first.
func TestLastPlanOfAnAnswerStands(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		lines []string
		want  string
	}{
		"two":                   {[]string{"not_started a", "in_progress b"}, "in_progress b"},
		"the first comes again": {[]string{"not_started a", "in_progress b", "not_started a"}, "not_started a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls []agent.CallRequest
			for i, line := range tc.lines {
				calls = append(calls, plan(fmt.Sprint("p", i), line))
			}
			w := planner(t, agenttest.Turn{Calls: calls}, agenttest.Turn{Text: "Hm."})
			do := w.tools.do[agent.UpdatePlanTool]
			second := make(chan struct{})
			w.tools.do[agent.UpdatePlanTool] = func(ctx context.Context, in agent.ToolInput) agent.ToolResult {
				if in.CallID == "p0" {
					<-second
				} else {
					defer close(second)
				}
				return do(ctx, in)
			}
			run := w.post("Go.")
			if diff := cmp.Diff(steps(tc.want), run.State.Plan.Steps); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
			told := find[agent.PlanEvent](w.events())
			if got := told[len(told)-1].Steps; !cmp.Equal(got, steps(tc.want)) {
				t.Errorf("told last %+v", got)
			}
			w.soundHistory()
		})
	}
}

// TestPlanStandsStill: who works on without a word about the plan is reminded once, until
// the plan is updated.
func TestPlanStandsStill(t *testing.T) {
	t.Parallel()
	turns := append([]agenttest.Turn{planning("p", "in_progress look")}, calling(14, "look", true)...)
	w := planner(t, append(turns, planning("q", "completed look"), agenttest.Turn{Text: "Done."})...)
	w.post("Look around.")
	var at []int
	for i, r := range w.model.Requests() {
		if m := r.Messages[len(r.Messages)-1]; strings.Contains(m.Content, "You have not updated your plan for 10 steps.") && strings.Contains(m.Content, "1. [in_progress] look") {
			at = append(at, i+1)
		}
	}
	if diff := cmp.Diff([]int{12}, at); diff != "" {
		t.Errorf("reminded in requests (-want +got):\n%s", diff)
	}
}

// TestPlanOfAnotherTask: a message with another task has no plan; the old one stays.
func TestPlanOfAnotherTask(t *testing.T) {
	t.Parallel()
	w := planner(t, works(agenttest.Turn{Text: "All done."}, agenttest.Turn{Text: "All done."}, agenttest.Turn{Text: "Hello."})...)
	first := w.post("Report the figures.")
	second := w.post("Now something else.")
	if len(second.State.Plan.Steps) != 0 || len(w.model.Requests()) != 6 || second.Status != agent.StatusFinished {
		t.Errorf("the second run has %+v after %d requests", second.State.Plan, len(w.model.Requests()))
	}
	if end := find[agent.Finish](w.events()); len(end) != 2 || end[1].Message != "" {
		t.Errorf("ends %+v", end)
	}
	if again, err := w.store.Run(t.Context(), ana, first.ID); err != nil || len(again.State.Plan.Steps) != 4 {
		t.Errorf("the first run has %+v, %v", again, err)
	}
}

// TestPlanOutlivesSummaries: once messages are summarised, requests have the plan, until it
// is written down again.
func TestPlanOutlivesSummaries(t *testing.T) {
	t.Parallel()
	tooLong := agenttest.Turn{Err: &agent.ProviderError{Status: 400, Message: "The conversation is too long.", TooLong: true, Attempts: 1}}
	turns := append(works(tooLong, agenttest.Turn{Text: "They looked."}), calling(1, "look", true)...)
	turns[len(turns)-1].Calls[0].ID = "later"
	w := planner(t, append(turns, planning("q", report...), agenttest.Turn{Text: "x"})...)
	w.runner.Loop.Settings.CompactAt = 80
	w.post("Report the figures.")
	var has []bool
	for _, r := range w.model.Requests()[5:] {
		all := ""
		for _, m := range r.Messages {
			all += m.Content
		}
		has = append(has, strings.Contains(all, "Your plan as it stands:\n1. [completed] Read the figures") && strings.Contains(all, "Report the figures."))
	}
	if diff := cmp.Diff([]bool{true, true, false, false}, has); diff != "" {
		t.Errorf("requests with the plan (-want +got):\n%s", diff)
	}
}

// TestPlanGoesOnWithAFailedRun: the run that continues a failed one has its plan.
func TestPlanGoesOnWithAFailedRun(t *testing.T) {
	t.Parallel()
	broken := agenttest.Turn{Err: &agent.ProviderError{Status: 500, Message: "Broken.", Attempts: 1}}
	w := planner(t, planning("p", "completed look"), broken, agenttest.Turn{Text: "Done."})
	failed := w.post("Look.")
	again, err := w.service.Retry(t.Context(), ana, failed.ID)
	w.must(err)
	if run := w.advance(again.RunID); !cmp.Equal(run.State.Plan.Steps, failed.State.Plan.Steps) || run.Status != agent.StatusFinished {
		t.Errorf("the run is %s with %+v", run.Status, run.State.Plan)
	}
	if told := find[agent.PlanEvent](w.events()); len(told) != 2 {
		t.Errorf("told %+v", told)
	}
}
