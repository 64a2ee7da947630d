package present

import (
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/views/part"
)

// TestWrappedUpLoop: of a run that a person has wrapped up, nothing was denied, and once it
// is over no breaker is near its limit.
func TestWrappedUpLoop(t *testing.T) {
	t.Parallel()
	s := newScript()
	s.said("r1", "u1", "Look it up")
	s.add("r1", 0, agent.RunStart{Model: "demo", Limits: agent.Limits{Steps: 50}})
	s.add("r1", 1, agent.StepStart{MessageID: "m1"}, agent.ToolCallStart{ToolCallID: "c1", ToolName: "search"},
		answered("m1", "", agent.CallRequest{ID: "c1", Name: "search", Arguments: `{}`}),
		agent.GuardEvent{Detector: "generic_repeat", Level: agent.Pause.String(), Count: 8},
		agent.ToolCallStateEvent{ToolCallID: "c1", State: agent.CallAwaiting},
		agent.ApprovalRequestedEvent{ApprovalID: "a1", Kind: agent.KindLoop, ToolCallID: "c1"},
		agent.ApprovalDecidedEvent{ApprovalID: "a1", Kind: string(agent.KindLoop), ToolCallID: "c1", Decision: string(agent.DecideResume), Answer: agent.ResumeFinishNow},
		agent.ToolCallResult{ToolCallID: "c1", Result: "Not executed.", ErrorType: agent.ErrRejected},
		agent.ToolCallStateEvent{ToolCallID: "c1", State: agent.CallError},
		agent.Finish{Status: agent.StatusFinished, StopReason: agent.StopGoal})
	p := fold(agent.Conversation{ID: "c"}, true)
	for _, e := range s.events {
		p.Apply(e)
	}
	html := shown(t, p)
	if strings.Contains(html, "denied") || !strings.Contains(html, "not run") {
		t.Errorf("the call that did not run is not called that: %s", html)
	}
	for _, f := range p.fuses() {
		if f.Level != part.Cool {
			t.Errorf("%s is %s though the run is over", f.Name, f.Level)
		}
	}
}
