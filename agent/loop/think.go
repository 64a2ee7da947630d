package loop

import (
	"context"
	"errors"
	"time"

	"fusebox/agent"
	"fusebox/agent/fingerprint"
)

// streamFrame is how often streamed text becomes an event: once a screen frame.
const streamFrame = 16 * time.Millisecond

// think makes one model call, unless a guard or a budget forbids it.
func (f *execution) think(ctx context.Context) error {
	if held, err := f.judgeRun(ctx); held || err != nil {
		return err
	}
	req := f.request()
	if done, err := f.compactWhenFull(ctx, req); done || err != nil || ended(ctx) {
		return err
	}
	if held, err := f.reserve(ctx, &req); held || err != nil {
		return err
	}
	if err := f.startStep(); err != nil {
		return err
	}
	comp, err := f.stream(ctx, req)
	var cut *streamCut
	var short *agent.Short
	switch {
	case errors.As(err, &cut):
		return f.saveCut(cut.verdict, comp)
	case errors.As(err, &short):
		return f.tryRefused(short, comp)
	case isTooLong(err):
		if err := f.settleTooLong(comp); err != nil {
			return err
		}
		if done, compactErr := f.compactTooLong(ctx); done || compactErr != nil || ended(ctx) {
			return compactErr
		}
		return f.modelFailed(ctx, comp, err)
	case err != nil:
		return f.modelFailed(ctx, comp, err)
	default:
		f.learnDrift(req, comp)
		return f.saveAnswer(comp)
	}
}

// judgeRun asks the guards that judge the run itself, then the judge model.
// held is true where the run ended, or a person has to be asked first.
func (f *execution) judgeRun(ctx context.Context) (held bool, err error) {
	r := f.with(agent.StatusRunning)
	a := f.assess(nil, r)
	if held, err = f.act(a, r); held || err != nil {
		return held, err
	}
	return f.consultJudge(ctx)
}

// act does what an assessment of the run itself calls for.
func (f *execution) act(a agent.Assessment, r *agent.Run) (held bool, err error) {
	e := agent.Entry{Run: r}
	f.verdicts(&e, a, nil)
	v := a.Worst
	switch v.Level {
	case agent.Pass:
		if len(e.Verdicts) == 0 {
			return false, nil
		}
		return false, f.commit(e)
	case agent.Stop:
		return true, f.end(*f.tripped(a, nil))
	case agent.Warn:
		remind(r, f.Reminder(v, ""))
		e.Events = events(guardEvent(v, f.evidence(v, a.Others)))
		return false, f.commit(e)
	default:
		ev := f.evidence(v, a.Others)
		if v.Detector == repeatedAnswer {
			ev.Text = clip(f.lastAnswer())
		}
		e.Events = events(guardEvent(v, ev))
		f.addApproval(&e, f.loopApproval(v, ev, nil))
		return true, f.commit(e)
	}
}

// repeatedAnswer is the detector whose evidence is a text of the run.
const repeatedAnswer = "repeated_answer"

// lastAnswer is the newest text of the model.
func (f *execution) lastAnswer() string {
	for i := len(f.branch) - 1; i >= 0; i-- {
		if m := f.branch[i]; m.Role == agent.FromAssistant && m.Content != "" {
			return m.Content
		}
	}
	return ""
}

// startStep opens a model call. One that was cut by a crash is made again
// under its own number and message.
func (f *execution) startStep() error {
	f.draft, f.took = f.newDraft(), agent.Completion{}
	if f.run.State.DraftID != "" {
		return nil
	}
	r := f.with(agent.StatusRunning)
	r.Steps++
	r.State.DraftID = f.NewID()
	return f.commit(agent.Entry{Run: r, Events: events(agent.StepStart{MessageID: r.State.DraftID})})
}

// stream sends the request and turns its deltas into events.
func (f *execution) stream(ctx context.Context, req agent.Request) (agent.Completion, error) {
	out := newCoalescer(f.Clock, streamFrame, func(data []agent.EventData) error {
		return f.commit(agent.Entry{Events: events(data...)})
	})
	shown := newPortions(f.output, func(d agent.Delta) error { return out.push(f.show(d)) })
	comp, err := f.Provider.Complete(ctx, req, func(d agent.Delta) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		f.draft.heard(d, f.now())
		if err := shown.push(d); err != nil {
			return err
		}
		return f.watch(d)
	})
	if closeErr := shown.close(); err == nil {
		err = closeErr
	}
	if closeErr := out.close(); err == nil {
		err = closeErr
	}
	return comp, err
}

// show notes a delta in the draft and returns its event.
func (f *execution) show(d agent.Delta) agent.EventData {
	id := f.run.State.DraftID
	switch d.Kind {
	case agent.DeltaText:
		f.draft.shown = true
		f.draft.text.WriteString(d.Text)
		return agent.TextDelta{ID: id, Delta: d.Text}
	case agent.DeltaReasoning:
		f.draft.shown = true
		f.draft.reasoning.WriteString(d.Text)
		return agent.ReasoningDelta{ID: id, Delta: d.Text}
	case agent.DeltaCallStart:
		f.draft.shown, f.draft.calls = true, true
		return agent.ToolCallStart{ToolCallID: d.CallID, ToolName: d.ToolName}
	case agent.DeltaCallArgs:
		return agent.ToolCallDelta{ToolCallID: d.CallID, Delta: d.Text}
	case agent.DeltaReset:
		f.draft = f.newDraft()
		return agent.MessageReset{ID: id}
	case agent.DeltaFallback:
		f.run.State.FallbackUsed = true
		return d.Fallback
	case agent.DeltaNotice:
		return agent.Notice{Message: d.Text}
	default:
		return d.Retry
	}
}

// saveAnswer stores a whole answer: message, calls, the step's bill and the
// run's new figures in one entry.
func (f *execution) saveAnswer(comp agent.Completion) error {
	if f.run.State.FinishNow {
		comp.Calls = nil // it was asked for text alone
	}
	f.refusals = 0
	e := agent.Entry{Run: f.with(agent.StatusRunning)}
	m := agent.Message{
		ID: f.run.State.DraftID, ConversationID: f.conv.ID, ParentID: f.last().ID, Role: agent.FromAssistant,
		Content: comp.Content, Reasoning: comp.Reasoning, ToolCalls: comp.Calls, RunID: f.run.ID,
		Usage: &comp.Usage, CreatedAt: f.now(), Data: comp.Data, ReasoningMS: f.draft.thoughtFor(f.now()),
	}
	cost := f.settleUsage(&e, comp)
	e.Messages = []agent.Message{m}
	e.Run.State.DraftID, e.Run.State.Reminders, e.Run.State.Unfinished = "", nil, false
	e.Run.State.ToolCalls += len(comp.Calls)
	e.Events = append(events(agent.MessageEvent{Message: m}), e.Events...)
	for i, c := range comp.Calls {
		f.addCall(&e, m, i, c, cost)
	}
	f.verdicts(&e, agent.Assessment{Muted: f.draft.muted}, nil)
	if text, ok := cutOffs[comp.FinishReason]; ok && len(comp.Calls) == 0 {
		e.Events = append(e.Events, events(agent.Notice{Message: text})...)
	}
	return f.commit(e)
}

// cutOffs are the finish reasons that a person should know of.
var cutOffs = map[string]string{
	"length":         "The answer was cut off at the output limit. Ask to continue.",
	"content_filter": "The provider's content filter cut this answer off.",
}

// addCall adds one requested call, with its share of the step's bill.
func (f *execution) addCall(e *agent.Entry, m agent.Message, i int, c agent.CallRequest, cost int64) {
	n := int64(len(m.ToolCalls))
	call := agent.ToolCall{
		ID: c.ID, RunID: f.run.ID, ConversationID: f.conv.ID, MessageID: m.ID,
		Step: e.Run.Steps, Index: i, Name: c.Name, Args: c.Arguments, State: agent.CallValidating,
		Tokens: m.Usage.Total() / n, CostMicros: cost / n,
	}
	call.ArgsHash = fingerprint.Args(call.Args, nil)
	e.Calls = append(e.Calls, agent.CallChange{Event: agent.CallAsked, Call: call})
	e.Events = append(e.Events, events(agent.ToolCallStateEvent{ToolCallID: c.ID, State: agent.CallValidating})...)
}

// isTooLong reports whether a prompt did not fit its model's context window.
func isTooLong(err error) bool {
	var failed *agent.ProviderError
	return errors.As(err, &failed) && failed.TooLong
}

// modelFailed ends the run when its model is out of reach; an interrupted call
// is left to move, which knows the cause.
func (f *execution) modelFailed(ctx context.Context, comp agent.Completion, err error) error {
	if ended(ctx) {
		return f.cutOff(ctx, comp)
	}
	var failed *agent.ProviderError
	if !errors.As(err, &failed) {
		return err // the journal's own error, or a bug: leave the run as it is
	}
	f.Log.Warn("model call failed", "run_id", f.run.ID, "conversation_id", f.conv.ID,
		"status", failed.Status, "attempts", failed.Attempts, "error", failed)
	return f.end(ending{
		status: agent.StatusFailed, reason: agent.StopProviderError, because: failed.Message,
		events: []agent.EventData{agent.ErrorEvent{Message: failed.Message, ErrorType: "provider_error", Retryable: failed.Retryable}},
		took:   comp,
	})
}
