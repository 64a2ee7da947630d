package present

import (
	"encoding/json"
	"math"

	"fusebox/agent"
)

// below adds events of a child run.
func (s *script) below(parent, run string, step int, data ...agent.EventData) {
	s.add(run, step, data...)
	for i := len(s.events) - len(data); i < len(s.events); i++ {
		s.events[i].ParentRunID = parent
	}
}

// spawned begins a child run for a call, as a journal does.
func (s *script) spawned(parent, call, run, name, task string) {
	s.below(parent, run, 0,
		agent.RunStart{Model: "demo", Limits: agent.Limits{Steps: 6}, Agent: name, AgentVersion: 1, Task: task, ToolCallID: call},
		agent.MessageEvent{Message: agent.Message{ID: "task-" + run, RunID: run, Role: agent.FromUser, Content: task}})
}

var small = agent.StepFinish{Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 1000, OutputTokens: 200}}, CostMicros: 20_000}

func handsOver(id, name, task string) agent.CallRequest {
	return agent.CallRequest{ID: id, Name: agent.DelegateTool, Arguments: string(agent.MustJSON(map[string]string{"agent": name, "task": task}))}
}

func callStates(id string, states ...agent.CallState) (list []agent.EventData) {
	for _, s := range states {
		list = append(list, agent.ToolCallStateEvent{ToolCallID: id, State: s})
	}
	return list
}

// treeScript is a log in which a run hands two tasks over, one of them two levels down, whose
// command a person has to approve.
func treeScript() *script {
	s := newScript()
	s.said("root", "u1", "Tidy up")
	s.add("root", 0, agent.RunStart{Model: "demo", Limits: agent.Limits{Steps: 50, Tokens: 100_000}})
	calls := []agent.CallRequest{handsOver("d1", "lead", "Have the <log> tidied"), handsOver("d2", "writer", "Write a greeting"), handsOver("d3", "writer", "Write a farewell")}
	s.add("root", 1, agent.StepStart{MessageID: "m1"}, agent.ToolCallStart{ToolCallID: "d1", ToolName: agent.DelegateTool},
		agent.ToolCallDelta{ToolCallID: "d1", Delta: calls[0].Arguments}, answered("m1", "I hand it over.", calls...), small)
	for i, c := range calls {
		s.add("root", 1, callStates(c.ID, agent.CallValidating, agent.CallScheduled, agent.CallExecuting)...)
		s.spawned("root", c.ID, []string{"lead", "w1", "w2"}[i], []string{"lead", "writer", "writer"}[i], []string{"Have the <log> tidied", "Write a greeting", "Write a farewell"}[i])
	}
	s.add("root", 1, agent.RunPaused{Children: []string{"lead", "w1", "w2"}})

	s.below("root", "lead", 1, agent.StepStart{MessageID: "m2"}, agent.ReasoningDelta{ID: "m2", Delta: "Who could"}, agent.TextDelta{ID: "m2", Delta: "Hand does it."})
	s.below("root", "w1", 1, agent.StepStart{MessageID: "m3"}, agent.TextDelta{ID: "m3", Delta: "Hello"})
	s.below("root", "lead", 1, agent.ToolCallStart{ToolCallID: "d1", ToolName: agent.DelegateTool})
	lead := answered("m2", "Hand does it.", handsOver("d1", "hand", "Append CLEAN"))
	lead.Message.Reasoning = "Who could"
	s.below("root", "lead", 1, lead, small)
	s.below("root", "lead", 1, callStates("d1", agent.CallValidating, agent.CallScheduled, agent.CallExecuting)...)
	s.spawned("lead", "d1", "hand", "hand", "Append CLEAN")
	s.below("root", "lead", 1, agent.RunPaused{Children: []string{"hand"}})
	s.below("root", "w1", 1, agent.TextDelta{ID: "m3", Delta: " you"}, agent.PlanEvent{Steps: []agent.PlanStep{{Step: "Write", Status: agent.PlanInProgress}}},
		answered("m3", "Hello you"), small,
		agent.Finish{Status: agent.StatusFinished, StopReason: agent.StopGoal, Usage: small.Usage, CostMicros: small.CostMicros})
	s.add("root", 1, callStates("d2", agent.CallSuccess)...)
	s.add("root", 1, agent.ToolCallResult{ToolCallID: "d2", Result: `{"runId":"w1","status":"finished","answer":"Hello you"}`})

	args := `{"command":"echo CLEAN >> effects.log"}`
	s.below("lead", "hand", 1, agent.StepStart{MessageID: "m4"}, agent.ToolCallStart{ToolCallID: "d1", ToolName: "run_shell"}, agent.ToolCallDelta{ToolCallID: "d1", Delta: args},
		answered("m4", "", agent.CallRequest{ID: "d1", Name: "run_shell", Arguments: args}), small)
	s.below("lead", "hand", 1, callStates("d1", agent.CallValidating, agent.CallAwaiting)...)
	path := []agent.PathStep{{RunID: "root", Task: "Tidy up"}, {RunID: "lead", Agent: "lead", Task: "Have the <log> tidied"}, {RunID: "hand", Agent: "hand", Task: "Append CLEAN"}}
	s.below("lead", "hand", 1, agent.ApprovalRequestedEvent{
		ApprovalID: "a1", Kind: agent.KindTool, ToolCallID: "d1", Risk: agent.RiskHigh, Message: "It runs a program.", ArgsHash: "abc", Generation: 1, Agent: "hand", Path: path,
		Evidence: json.RawMessage(`{"effect":"exec","rule":"mode default","command":"echo CLEAN >> effects.log","cwd":"/w"}`),
	}, agent.RunPaused{ApprovalIDs: []string{"a1"}})
	s.below("root", "w2", 1, agent.StepStart{MessageID: "m5"}, answered("m5", "", agent.CallRequest{ID: "x", Name: "write_file", Arguments: `{"path":"a.txt"}`}), small,
		agent.GuardEvent{Level: "breaker", Detector: "max_steps", Count: 6, Message: "The step limit."},
		agent.Finish{Status: agent.StatusStopped, StopReason: agent.StopMaxSteps, Usage: small.Usage, CostMicros: small.CostMicros})
	s.add("root", 1, callStates("d3", agent.CallError)...)
	s.add("root", 1, agent.ToolCallResult{ToolCallID: "d3", Result: `{"runId":"w2","status":"stopped","partial":true}`, ErrorType: agent.ErrorType("stopped")})
	s.below("lead", "hand", 1, agent.ApprovalDecidedEvent{ApprovalID: "a1", Kind: "tool", ToolCallID: "d1", Decision: "approve", DecidedBy: "rex@example.org", UndoUntil: s.at.Add(math.MaxInt32)})
	s.below("lead", "hand", 1, agent.RunResumed{By: "rex@example.org"})
	s.below("lead", "hand", 1, callStates("d1", agent.CallScheduled, agent.CallExecuting, agent.CallSuccess)...)
	s.below("lead", "hand", 1, agent.ToolCallResult{ToolCallID: "d1", Result: "ok"})
	s.below("lead", "hand", 2, agent.StepStart{MessageID: "m6"}, answered("m6", "cleaned"), small,
		agent.Finish{Status: agent.StatusFinished, StopReason: agent.StopGoal, Usage: small.Usage})
	s.below("root", "lead", 1, callStates("d1", agent.CallSuccess)...)
	s.below("root", "lead", 2, agent.StepStart{MessageID: "m7"}, answered("m7", "All clean"), small,
		agent.Finish{Status: agent.StatusFinished, StopReason: agent.StopGoal, Usage: small.Usage})
	s.add("root", 1, callStates("d1", agent.CallSuccess)...)
	s.add("root", 2, agent.StepStart{MessageID: "m8"}, answered("m8", "Done, but for the farewell."), small,
		agent.Finish{Status: agent.StatusFinished, StopReason: agent.StopGoal, Usage: small.Usage})
	s.said("next", "u2", "Thanks")
	s.add("next", 0, agent.RunStart{Model: "demo"})
	return s
}

func foldTree() *Presenter {
	p := fold(agent.Conversation{ID: "c1", OwnerID: "o"}, true)
	p.LoopLimit = 8
	return p
}
