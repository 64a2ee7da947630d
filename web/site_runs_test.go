package web_test

import (
	"encoding/json"
	"time"

	"fusebox/agent"
)

// started makes a conversation of u whose run is running, with one step done.
func (s *site) started(u agent.User, title string) *agent.Run {
	s.t.Helper()
	ctx, now := s.t.Context(), s.clock.Now()
	conv := agent.Conversation{ID: s.newID(), OwnerID: u.ID, Title: title, Model: "demo", ApprovalMode: agent.ModeDefault, CreatedAt: now, UpdatedAt: now}
	s.ok(s.db.CreateConversation(ctx, conv))
	limits := agent.Limits{Steps: 50, DurationMS: 600_000, Tokens: 15_000}
	done, err := s.db.Enqueue(ctx, agent.NewMessage{
		ConversationID: conv.ID, UserID: u.ID, MessageID: s.newID(), RunID: s.newID(), Content: "please do " + title, Model: "demo", Limits: limits,
	})
	s.ok(err)
	run, err := s.db.Claim(ctx, "test", time.Hour)
	for err == nil && run.ID != done.RunID { // another one, which a decision has set free
		run, err = s.db.Claim(ctx, "test", time.Hour)
	}
	s.ok(err)
	run.StartedAt = now
	s.append(run, agent.Change{Run: run, Events: []agent.Event{{Data: agent.RunStart{Model: "demo", Limits: limits}}}})
	s.step(run)
	return run
}

func (s *site) append(run *agent.Run, e agent.Change) {
	s.t.Helper()
	e.ConversationID, e.RunID, e.Epoch = run.ConversationID, run.ID, run.Epoch
	for i := range e.Messages { // each is behind the one before
		if i > 0 {
			e.Messages[i].ParentID = e.Messages[i-1].ID
			continue
		}
		events, err := s.db.RunEvents(s.t.Context(), run.ID)
		s.ok(err)
		for _, said := range events {
			if d, ok := said.Data.(agent.MessageEvent); ok {
				e.Messages[i].ParentID = d.Message.ID
			}
		}
	}
	for i := range e.Events {
		e.Events[i].RunID, e.Events[i].Step = run.ID, run.Steps
	}
	_, err := s.db.Append(s.t.Context(), e)
	s.ok(err)
}

// step adds a model call of 4,500 tokens for half a cent.
func (s *site) step(run *agent.Run) {
	s.t.Helper()
	u := agent.Usage{Tokens: agent.Tokens{InputTokens: 4000, CachedTokens: 1000, OutputTokens: 500}}
	run.Steps, run.Usage, run.CostMicros = run.Steps+1, run.Usage.Add(u), run.CostMicros+5000
	now := s.clock.Now()
	m := agent.Message{
		ID: s.newID(), ConversationID: run.ConversationID, Role: agent.FromAssistant, Content: "I think about it.",
		ToolCalls: []agent.CallRequest{{ID: "c1", Name: "run_shell", Arguments: `{"command":"ls"}`}}, RunID: run.ID, Usage: &u, CreatedAt: now,
	}
	s.append(run, agent.Change{
		Run: run, Messages: []agent.Message{m},
		Steps: []agent.Step{{
			RunID: run.ID, N: run.Steps, ConversationID: run.ConversationID, UserID: run.UserID, Model: "demo", Usage: u,
			CostMicros: 5000, FinishReason: "tool_calls", StartedAt: now, EndedAt: now,
		}},
		Events: []agent.Event{
			{Data: agent.StepStart{MessageID: m.ID}}, {Data: agent.MessageEvent{Message: m}},
			{Data: agent.StepFinish{Usage: u, CostMicros: 5000, FinishReason: "tool_calls"}},
		},
	})
}

// finished ends a run well.
func (s *site) finished(u agent.User, title string) *agent.Run {
	s.t.Helper()
	run := s.started(u, title)
	run.Status, run.StopReason, run.EndedAt = agent.StatusFinished, agent.StopGoal, s.clock.Now()
	s.append(run, agent.Change{Run: run, Events: []agent.Event{{Data: agent.Finish{
		Status: run.Status, StopReason: run.StopReason, Model: "demo", Usage: run.Usage, CostMicros: run.CostMicros,
	}}}})
	return run
}

// paused makes a run of u that waits for a decision on a.
func (s *site) paused(u agent.User, title string, a agent.Approval) agent.Approval {
	s.t.Helper()
	run := s.started(u, title)
	a.ID, a.RunID, a.ConversationID, a.Status, a.Generation = s.newID(), run.ID, run.ConversationID, agent.ApprovalPending, 1
	a.RequestedAt, a.ExpiresAt = s.clock.Now(), s.clock.Now().Add(24*time.Hour)
	run.Status = agent.StatusPaused
	s.append(run, agent.Change{Run: run, Approvals: []agent.ApprovalChange{{Approval: a}}, Events: []agent.Event{
		{Data: agent.ApprovalRequestedEvent{
			ApprovalID: a.ID, Kind: a.Kind, Risk: a.Risk, Message: a.Message, Options: a.Options, ArgsHash: a.ArgsHash, Generation: 1, Evidence: a.Evidence,
		}},
		{Data: agent.RunPaused{ApprovalIDs: []string{a.ID}}},
	}})
	return a
}

func shellCard(risk agent.Risk, command string) agent.Approval {
	args, _ := json.Marshal(map[string]string{"command": command})
	evidence, _ := json.Marshal(agent.ToolEvidence{Effect: agent.EffectExec, Rule: agent.BuiltIn("shell"), Command: command, Cwd: "/workspace"})
	return agent.Approval{
		Kind: agent.KindTool, Risk: risk, ToolName: "run_shell", Args: args, ArgsHash: "hash-of-args",
		Evidence: evidence, Message: "It runs a program.",
	}
}

func budgetCard() agent.Approval {
	return agent.Approval{
		Kind: agent.KindBudget, Risk: agent.RiskLow, Message: "The next call could go over.",
		Evidence: json.RawMessage(`{"scope":"run","usedTokens":13500,"limitTokens":15000,"nextStepTokens":4500}`),
	}
}

func loopCard() agent.Approval {
	evidence, _ := json.Marshal(agent.LoopEvidence{Detector: "generic_repeat", Count: 8, Threshold: 8, Calls: []agent.EvidenceCall{
		{N: 7, ToolName: "get_weather", Args: json.RawMessage(`{"city":"x"}`), Result: "sunny", Tokens: 4500, CostMicros: 5000},
		{N: 8, ToolName: "get_weather", Args: json.RawMessage(`{"city":"x"}`), Blocked: true},
	}})
	return agent.Approval{
		Kind: agent.KindLoop, Risk: agent.RiskMedium, ToolName: "get_weather", Args: json.RawMessage(`{"city":"x"}`),
		Evidence: evidence, Message: "The same call 8 times.",
		Options: []agent.Option{{ID: agent.ResumePlain, Label: "Continue"}, {ID: agent.ResumeFinishNow, Label: "Finish now"}},
	}
}
