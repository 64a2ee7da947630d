package present

import (
	"strings"
	"testing"

	"fusebox/agent"
)

// planScript is a run with a plan that is written down, changed, and left open.
func planScript(end agent.Status) *script {
	s := newScript()
	s.said("r1", "u1", "Report the figures")
	s.add("r1", 0, agent.RunStart{Model: "demo"})
	write := func(step int, id, args string, plan ...agent.PlanStep) {
		s.add("r1", step, agent.StepStart{MessageID: "m" + id}, agent.ToolCallStart{ToolCallID: id, ToolName: agent.UpdatePlanTool},
			answered("m"+id, "", agent.CallRequest{ID: id, Name: agent.UpdatePlanTool, Arguments: args}),
			agent.ToolCallResult{ToolCallID: id, Result: "The plan is noted."}, agent.ToolCallStateEvent{ToolCallID: id, State: agent.CallSuccess},
			agent.PlanEvent{Steps: plan})
	}
	write(1, "c1", `{"plan":[{"step":"Read <i>","status":"in_progress"},{"step":"Write","status":"not_started"},{"step":"Send","status":"not_started"}]}`,
		agent.PlanStep{Step: "Read <i>", Status: agent.PlanInProgress}, agent.PlanStep{Step: "Write", Status: agent.PlanNotStarted}, agent.PlanStep{Step: "Send", Status: agent.PlanNotStarted})
	write(2, "c2", `{"plan":[{"step":"Read <i>","status":"completed"},{"step":"Write","status":"in_progress","note":"in a hurry"},{"step":"Post","status":"blocked"}]}`,
		agent.PlanStep{Step: "Read <i>", Status: agent.PlanCompleted}, agent.PlanStep{Step: "Write", Status: agent.PlanInProgress, Note: "in a hurry"}, agent.PlanStep{Step: "Post", Status: agent.PlanBlocked})
	switch end {
	case agent.StatusPaused:
		s.add("r1", 2, agent.RunPaused{ApprovalIDs: []string{"a"}})
	case agent.StatusFinished:
		s.add("r1", 2, agent.Finish{Status: end, StopReason: agent.StopGoal})
	}
	return s
}

// TestPlanIsOneElement: the plan of a run stands between the person's message and the
// answers, once, as it is now, live as after a reload.
func TestPlanIsOneElement(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		end       agent.Status
		has, lack []string
	}{
		{agent.StatusRunning, []string{"1 of 3 done", `open>`, "in a hurry", "Read &lt;i&gt;", `class="pulse"></span>In progress`, "Blocked"}, []string{"/runs/r1/plan"}},
		{agent.StatusPaused, []string{`open>`, "In progress", `href="/runs/r1/plan"`}, []string{"pulse"}},
		{agent.StatusFinished, []string{"1 of 3 done", "Not done", "Blocked"}, []string{`open>`, "pulse", "In progress", "/runs/r1/plan"}},
	} {
		t.Run(string(tc.end), func(t *testing.T) {
			t.Parallel()
			s := planScript(tc.end)
			live, reloaded := fold(agent.Conversation{ID: "c"}, true), fold(agent.Conversation{ID: "c"}, true)
			live.Owns, reloaded.Owns = true, true
			for _, e := range s.events {
				live.Apply(e)
			}
			reloaded.Replay(agent.Transcript{Events: s.events}, 100)
			if a, b := shown(t, live), shown(t, reloaded); a != b {
				t.Errorf("live %s, reloaded %s", a, b)
			}
			html := RenderToString(live.Text, live.items[1].View())
			if strings.Count(shown(t, live), `id="plan-r1"`) != 1 || !strings.Contains(html, `id="plan-r1"`) {
				t.Errorf("the plan is not behind the message: %s", html)
			}
			for _, want := range tc.has {
				if !strings.Contains(html, want) {
					t.Errorf("lacks %s: %s", want, html)
				}
			}
			for _, not := range tc.lack {
				if strings.Contains(html, not) {
					t.Errorf("has %s: %s", not, html)
				}
			}
		})
	}
}

// TestRowOfAPlan says in short what a call has changed.
func TestRowOfAPlan(t *testing.T) {
	t.Parallel()
	p := fold(agent.Conversation{ID: "c"}, true)
	for _, e := range planScript(agent.StatusRunning).events {
		p.Apply(e)
	}
	html := shown(t, p)
	for _, want := range []string{"</span> 3 steps", "</span> Read &lt;i&gt;: Done · Write: In progress · 1 step added · 1 step removed"} {
		if !strings.Contains(html, want) {
			t.Errorf("lacks %q: %s", want, html)
		}
	}
	if got := planChanges(p.Text, []agent.PlanStep{{Step: "a", Status: agent.PlanBlocked}}, []agent.PlanStep{{Step: "a", Status: agent.PlanBlocked}}); got != "nothing changed" {
		t.Errorf("the same plan is %q", got)
	}
}

// TestChangedPlanIsALine: what the model reads of a plan that a person has changed is not
// shown as their words.
func TestChangedPlanIsALine(t *testing.T) {
	t.Parallel()
	run := agent.Run{ID: "r1"}
	run.ChangePlan("ana@example.org", []agent.PlanStep{{Step: "Rest", Status: agent.PlanBlocked}})
	s := planScript(agent.StatusRunning)
	s.add("r1", 2, agent.MessageEvent{Message: agent.Message{ID: "g", RunID: "r1", Role: agent.FromUser, Content: run.State.Guidance[0].Text, SaidBy: "ana@example.org"}})
	p := fold(agent.Conversation{ID: "c"}, true)
	p.Replay(agent.Transcript{Events: s.events}, 100)
	if html := shown(t, p); !strings.Contains(html, "ana@example.org changed the plan.") || strings.Contains(html, "[blocked] Rest") {
		t.Errorf("shown as %s", html)
	}
}
