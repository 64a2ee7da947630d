package workflow_test

import (
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/workflow"
)

// TestReasonsAreForPeople: a card, and the end of a run, say why a step has failed in words for people, in
// the language of the message, and name nothing that is for agents alone.
func TestReasonsAreForPeople(t *testing.T) {
	t.Parallel()
	handedBack := func(status agent.Status, why string, missing ...string) string {
		return string(agent.MustJSON(agent.DelegateResult{RunID: "r", Status: status, Why: why, Missing: missing}))
	}
	stopped := func(why agent.StopReason) string {
		return handedBack(agent.StatusStopped, "It was stopped ("+string(why)+") before it was done: take what it hands in as a part.")
	}
	for name, test := range map[string]struct{ result, english, chinese string }{
		"tokens":   {stopped(agent.StopTokenBudget), "It was stopped before it was done: its tokens were used up. How", "它在完成之前被停止了：token 额度已用完。接下来"},
		"time":     {stopped(agent.StopTimeout), "It was stopped before it was done: its time was up. How", "它在完成之前被停止了：时间已用完。接下来"},
		"another":  {stopped("new_reason"), "It was stopped before it was done: new_reason. How", "它在完成之前被停止了：new_reason。接下来"},
		"missing":  {handedBack(agent.StatusFinished, "", "a", "b"), "It has not handed back what was asked for: a, b. How", "它没有交回所要求的内容：a, b。接下来"},
		"aborted":  {handedBack(agent.StatusAborted, "It was aborted by a person."), "It was aborted by a person. How", "它被人中止了。接下来"},
		"no agent": {"There is no agent \"x\". The agents are:\n- y: Helps.", "There is no agent \"x\". How", "没有名为 \"x\" 的智能体。接下来"},
		"no room":  {"No further agent can be asked: there are as many. Do the work yourself.", "so it could not begin. How", "因此它无法开始。接下来"},
		"unknown":  {"Something else.", "Something else. How", "Something else.接下来"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for message, want := range map[string]string{"Tea": test.english, "写一篇文章": test.chinese} {
				call, ok := workflow.CallOf(agent.ToolCall{ID: "s0-r1-t1-x", Name: agent.DelegateTool, State: agent.CallError, ErrorType: agent.ErrExecution, Args: `{}`, Result: test.result}, nil)
				if !ok {
					t.Fatal("the call is of no step")
				}
				move := workflow.Next(workflow.Situation{
					Workflow: agent.Workflow{Kind: agent.FlowSequence, Steps: []agent.WorkflowStep{{Name: "facts", Agent: "x", Task: "Look."}}}, Message: message, Calls: []workflow.Call{call},
				})
				if len(move.Begin) != 1 || move.Begin[0].Ask == nil || !strings.Contains(move.Begin[0].Ask.Question, want) {
					t.Errorf("%q: %+v", want, move.Begin)
				}
			}
		})
	}
}
