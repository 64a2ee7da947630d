package agent_test

import (
	"strings"
	"testing"
	"time"

	"fusebox/agent"
)

// TestNotificationsSayNothingOfModels: where messages arrive, addresses are opened unasked, so no
// words of a model are in them.
func TestNotificationsSayNothingOfModels(t *testing.T) {
	t.Parallel()
	const own = "http://leak.invalid/?d=note"
	for name, row := range map[string]struct {
		a    agent.Approval
		want string
	}{
		"a question":                  {agent.Approval{Kind: agent.KindQuestion, Message: "See " + own}, `"message":"The agent has a question."`},
		"an answer that goes round":   {agent.Approval{Kind: agent.KindLoop, Message: `The answer has repeated itself 5 times: "` + own + `"`}, `"message":"Stopped: stuck in a loop."`},
		"a tool that there is not":    {agent.Approval{Kind: agent.KindLoop, ToolName: own, Message: "Tools that do not exist were called 3 times, now " + own + "."}, `"message":"Stopped: stuck in a loop."`},
		"what the risk model says":    {agent.Approval{Kind: agent.KindTool, ToolName: "run_shell", Message: agent.JudgedBy + "It sends a note to " + own}, `"message":"The risk model sees a risk."`},
		"what is in our words stays":  {agent.Approval{Kind: agent.KindTool, ToolName: "run_shell", Message: "It runs a program."}, `"toolName":"run_shell","message":"It runs a program."`},
		"calls that are made in turn": {agent.Approval{Kind: agent.KindLoop, ToolName: "grep", Message: "grep was called 5 times in a row with the same arguments."}, `"message":"grep was called`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := string(agent.NewNotification(agent.NotifyRequested, row.a, agent.ToReviewers, time.Time{}).Payload)
			if !strings.Contains(got, row.want) || strings.Contains(got, "leak") {
				t.Errorf("told %s, want %s", got, row.want)
			}
		})
	}
}
