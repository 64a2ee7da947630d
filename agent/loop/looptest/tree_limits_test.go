package looptest

import (
	"fmt"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// TestLimitOfAgentCountsBelow: what an agent may use is not more because it hands its task on.
func TestLimitOfAgentCountsBelow(t *testing.T) {
	t.Parallel()
	usage := agent.Usage{Tokens: agent.Tokens{InputTokens: 1000, OutputTokens: 1000}}
	var looks []agenttest.Turn
	for i := range 3 {
		looks = append(looks, agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call(fmt.Sprint("a", i), "look", fmt.Sprintf(`{"n":%d}`, i))}, Usage: usage})
	}
	w := newTree(t, map[string][]agenttest.Turn{"hand": append(looks, agenttest.Turn{Text: "Saved.", Usage: usage})},
		agenttest.Turn{Calls: []agent.CallRequest{delegateCall("l", "lead", "Do it.")}, Usage: usage}, agenttest.Turn{Text: "It is saved.", Usage: usage})
	w.model.Agents["lead"] = []agenttest.Turn{{Calls: []agent.CallRequest{delegateCall("l", "hand", "Save it.")}, Usage: usage}, {Text: "It is saved.", Usage: usage}}
	w.addAgent(agent.Agent{Name: "lead", Purpose: "Leads.", Instructions: "I am lead.", Limits: agent.AgentLimits{Tokens: 5000}})
	run := w.post("go")
	if run.Status != agent.StatusFinished {
		t.Errorf("the root is %s (%s)", run.Status, run.StopReason)
	}
	var below int64
	runs := w.tree(run.ID)
	for _, r := range runs[1:] {
		below += r.Usage.Total()
		if r.Status != agent.StatusStopped || r.StopReason != agent.StopTokenBudget {
			t.Errorf("%s is %s (%s)", r.Agent, r.Status, r.StopReason)
		}
	}
	if len(runs) != 3 || below > 5000 {
		t.Errorf("%d runs; those of an agent with 5000 tokens used %d", len(runs), below)
	}
	said := map[string]string{}
	for _, e := range w.events() {
		switch data := e.Data.(type) {
		case agent.Finish:
			said[e.RunID] = data.Message
		case agent.BudgetEvent:
			if e.RunID == runs[1].ID && e.ParentRunID != run.ID {
				t.Errorf("a warning about lead is of a child of %q", e.ParentRunID)
			}
		}
	}
	if hand := said[runs[2].ID]; !strings.Contains(hand, "the run “lead”") || strings.Contains(said[runs[1].ID], "“") {
		t.Errorf("the ends are told as %q", said)
	}
}

// TestLimitOfAgentIsEnough: a limit of an agent counts its own run only once.
func TestLimitOfAgentIsEnough(t *testing.T) {
	t.Parallel()
	usage := agent.Usage{Tokens: agent.Tokens{InputTokens: 1000, OutputTokens: 1000}}
	w := newTree(t, map[string][]agenttest.Turn{"hand": {{Text: "Saved.", Usage: usage}}},
		agenttest.Turn{Calls: []agent.CallRequest{delegateCall("l", "lead", "Do it.")}, Usage: usage}, agenttest.Turn{Text: "It is saved.", Usage: usage})
	w.model.Agents["lead"] = []agenttest.Turn{{Calls: []agent.CallRequest{delegateCall("l", "hand", "Save it.")}, Usage: usage}, {Text: "It is saved.", Usage: usage}}
	w.addAgent(agent.Agent{Name: "lead", Purpose: "Leads.", Instructions: "I am lead.", Limits: agent.AgentLimits{Tokens: 9000}})
	for _, r := range w.tree(w.post("go").ID) {
		if r.Status != agent.StatusFinished {
			t.Errorf("%s is %s (%s)", r.Agent, r.Status, r.StopReason)
		}
	}
}
