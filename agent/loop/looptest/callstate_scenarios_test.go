package looptest

import (
	"context"
	"time"

	"fusebox/agent"
	"fusebox/agent/loop"
	"fusebox/agent/service"
)

// moveScenarios are lives of calls that together make every change there is.
var moveScenarios = map[string]func(s *moveWorld){
	"plain": func(s *moveWorld) {
		s.asks("look", "nowhere", "save")
		s.answers(approves())
	},
	"starting a program": func(s *moveWorld) {
		s.tools.do["save"] = func(_ context.Context, in agent.ToolInput) agent.ToolResult {
			s.must(in.Started("the program"))
			return agent.ToolResult{Content: "saved"}
		}
		s.asks("save")
		s.answers(approves())
	},
	"rejected": func(s *moveWorld) {
		s.asks("save")
		s.answers(agent.Decision{Verb: agent.DecideReject})
	},
	"shared": func(s *moveWorld) { s.asks("look", "look") },
	"shared failure": func(s *moveWorld) {
		s.tools.do["look"] = func(context.Context, agent.ToolInput) agent.ToolResult {
			return agent.ToolResult{ErrorType: agent.ErrExecution}
		}
		s.asks("look", "look")
	},
	"shared cancellation": func(s *moveWorld) {
		s.tools.do["look"] = func(ctx context.Context, in agent.ToolInput) agent.ToolResult {
			s.runner.CancelCall(in.RunID, in.CallID, ana.Email)
			<-ctx.Done()
			return agent.ToolResult{ErrorType: agent.ErrCancelled}
		}
		s.asks("look", "look")
	},
	"answered": func(s *moveWorld) {
		s.asks("ask")
		s.answers(agent.Decision{Verb: agent.DecideAnswer, Answer: "yes"})
	},
	"failed": func(s *moveWorld) {
		s.tools.do["look"] = func(context.Context, agent.ToolInput) agent.ToolResult {
			return agent.ToolResult{ErrorType: agent.ErrExecution}
		}
		s.asks("look")
	},
	"it happened":  func(s *moveWorld) { s.inDoubt(); s.answers(agent.Decision{Verb: agent.DecideAnswer, Answer: "it did"}) },
	"run it again": func(s *moveWorld) { s.inDoubt(); s.answers(approves()) },
	"skip it":      func(s *moveWorld) { s.inDoubt(); s.answers(agent.Decision{Verb: agent.DecideReject}) },
	"killed while reading": func(s *moveWorld) {
		s.before = func(e agent.Change) error {
			if changes(e, agent.CallReturned) {
				return errPulled
			}
			return nil
		}
		s.asks("look")
	},
	"approver demoted": func(s *moveWorld) {
		s.service.UndoWindow = time.Minute
		run := s.asks("mark")
		s.decide(rex, s.card().ID, approves())
		s.must(s.store.PatchUser(s.t.Context(), rex.UserID, agent.UserPatch{Role: new(agent.RoleUser), Disabled: new(false)}))
		s.clock.Advance(time.Minute)
		s.goesOn(run.ID, s.t.Context())
	},
	"denied by now": func(s *moveWorld) {
		s.service.UndoWindow = time.Minute
		run := s.asks("mark")
		s.decide(rex, s.card().ID, approves())
		s.p.deny = true
		s.clock.Advance(time.Minute)
		s.goesOn(run.ID, s.t.Context())
	},
	"polling": func(s *moveWorld) {
		settings := s.runner.Loop.Settings.Guards
		turns := make([][]agent.CallRequest, settings.Critical+1)
		for i := range turns {
			turns[i] = []agent.CallRequest{{ID: string(rune('a' + i)), Name: "look", Arguments: `{"x":1}`}}
		}
		run := s.post(message(turns...))
		s.answers(resume(agent.ResumeAsPolling, 0))
		s.clock.Advance(settings.PollFirst)
		s.goesOn(run.ID, s.t.Context())
	},
	"aborted while it waits": func(s *moveWorld) { s.aborts(s.asks("mark")) },
	"aborted in doubt":       func(s *moveWorld) { s.aborts(s.inDoubt()) },
	"aborted beside what waits": func(s *moveWorld) {
		s.aborts(s.asks("ping", "mark"))
	},
	"aborted with its answer": func(s *moveWorld) {
		ctx, cancel := context.WithCancelCause(s.t.Context())
		model := s.runner.Loop.Provider
		s.runner.Loop.Provider = interrupting{model, func() { cancel(&loop.AbortCause{By: ana.Email}) }}
		defer func() { s.runner.Loop.Provider = model }()
		done, err := s.service.Post(s.t.Context(), ana, service.Post{ConversationID: "c", Content: message([]agent.CallRequest{{ID: "a", Name: "look", Arguments: "{}"}})})
		s.must(err)
		s.goesOn(done.RunID, ctx)
	},
	"aborted at work": func(s *moveWorld) {
		ctx, cancel := context.WithCancelCause(s.t.Context())
		s.tools.do["look"] = func(context.Context, agent.ToolInput) agent.ToolResult {
			cancel(&loop.AbortCause{By: ana.Email})
			return agent.ToolResult{ErrorType: agent.ErrCancelled}
		}
		done, err := s.service.Post(s.t.Context(), ana, service.Post{ConversationID: "c", Content: message([]agent.CallRequest{{ID: "a", Name: "look", Arguments: "{}"}})})
		s.must(err)
		s.goesOn(done.RunID, ctx)
	},
	"killed, and the tool cannot even be asked": func(s *moveWorld) {
		run := s.asks("mark")
		s.before = func(e agent.Change) error {
			if changes(e, agent.CallReturned) {
				return errPulled
			}
			return nil
		}
		s.decide(rex, s.card().ID, approves())
		claimed, err := s.store.Claim(s.t.Context(), "test", time.Minute)
		s.must(err)
		_ = s.runner.Loop.Advance(s.t.Context(), claimed) // the plug is pulled
		s.tools.outcome = func(string, string) (agent.ToolResult, bool) { panic("a bug") }
		s.before = nil
		s.restart()
		s.works()
		s.runner.Wake()
		if now := s.rests(run.ID); now.Status != agent.StatusFailed {
			s.t.Errorf("the run is %s", now.Status)
		}
	},
}

// interrupting is a provider that does something as soon as an answer is whole.
type interrupting struct {
	agent.Provider
	then func()
}

func (a interrupting) Complete(ctx context.Context, req agent.Request, sink func(agent.Delta) error) (agent.Completion, error) {
	comp, err := a.Provider.Complete(ctx, req, sink)
	a.then()
	return comp, err
}
