package loop

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"fusebox/agent"
	"fusebox/agent/fingerprint"
)

// think makes one model call, unless a guard or a budget forbids it.
func (x *execution) think(ctx context.Context) error {
	if err := x.readRights(); err != nil {
		return err
	}
	if paused, err := x.judgeRun(ctx); paused || err != nil {
		return err
	}
	x.guide.note()
	x.watchPlan()
	req := x.prompter.request()
	if done, err := x.compactor.whenFull(ctx, req, x.writer.draft.shown); done || err != nil || ended(ctx) {
		return err
	}
	if paused, err := x.reserve(ctx, &req); paused || err != nil {
		return err
	}
	comp, err := x.writer.write(ctx, req)
	var cut *streamCut
	var short *agent.InsufficientBudget
	var failed *agent.ProviderError
	switch {
	case errors.As(err, &cut):
		return x.saveCut(cut.verdict, comp)
	case errors.As(err, &short):
		return x.tryRefused(short, comp)
	case errors.As(err, &failed) && failed.TooLong:
		if err := x.settleTooLong(comp); err != nil {
			return err
		}
		if done, compactErr := x.compactor.tooLong(ctx, x.prompter.request(), x.writer.draft.shown); done || compactErr != nil || ended(ctx) {
			return compactErr
		}
		return x.modelFailed(ctx, comp, err)
	case err != nil:
		return x.modelFailed(ctx, comp, err)
	default:
		x.account.learnDrift(req, comp)
		return x.saveAnswer(comp)
	}
}

// readRights finds out which documents on the branch are closed now, before a model reads it.
func (x *execution) readRights() error {
	if !x.transcript.hasDocuments() {
		return nil
	}
	reads := func(c agent.CallChange) bool { return len(c.Call.Documents) > 0 || c.Event == agent.CallShared }
	if x.staged != nil && slices.ContainsFunc(x.staged.Calls, reads) {
		if err := x.flush(); err != nil { // what has just been read counts, too
			return err
		}
	}
	ctx, cancel := commitContext()
	defer cancel()
	read, err := x.journal.CallDocuments(ctx, x.conv.ID)
	x.transcript.closed = agent.ClosedOf(read)
	return err
}

// judgeRun asks the guards that judge the run itself, then the judge model.
// paused is true where the run ended, or a person has to be asked first.
func (x *execution) judgeRun(ctx context.Context) (paused bool, err error) {
	if x.run.State.HandIn.Limit != "" {
		return false, nil // it ends with this step
	}
	r := x.with(agent.StatusRunning)
	a := x.breakers.assess(nil, r)
	if paused, err = x.act(a, r); paused || err != nil {
		return paused, err
	}
	v, err := x.advisers.judgeRun(ctx)
	if v == nil || err != nil {
		return false, err
	}
	r = x.with(agent.StatusRunning)
	a = agent.Assessment{}
	a.Observe(*v, &r.State.Trips, x.breakers.settings.Off)
	return x.act(a, r)
}

// act does what an assessment of the run itself calls for.
func (x *execution) act(a agent.Assessment, r *agent.Run) (paused bool, err error) {
	e := agent.Change{Run: r, Verdicts: x.breakers.trace(a, nil)}
	v := a.Worst
	switch v.Level {
	case agent.Pass:
		x.reminders.stand(a.Continuing)
		if len(e.Verdicts) == 0 {
			return false, nil
		}
		return false, x.commit(e)
	case agent.Stop:
		how := *x.breakers.tripped(a, nil)
		if how.reason == agent.StopMaxSteps || how.reason == agent.StopTimeout {
			return true, x.reachLimit(how)
		}
		return true, x.end(how)
	case agent.Warn:
		remind(r, x.reminders.text(v, ""))
		e.Events = events(guardEvent(v, x.breakers.evidence(v, a.Others)))
		return false, x.commit(e)
	default:
		ev := x.breakers.evidence(v, a.Others)
		if v.Detector == repeatedAnswer {
			ev.Text = clip(x.transcript.lastAnswer())
		}
		e.Events = events(guardEvent(v, ev))
		return true, x.commit(e.Then(x.requests.open("", x.requests.aboutLoop(v, ev, nil))))
	}
}

// repeatedAnswer is the detector whose evidence is a text of the run.
const repeatedAnswer = "repeated_answer"

// stepStart is the change that starts a step. A call that was cut by a crash is
// made again under its own number and message.
func (x *execution) stepStart() agent.Change {
	if x.run.State.DraftID != "" {
		return agent.Change{}
	}
	r := x.with(agent.StatusRunning)
	r.Steps++
	r.State.DraftID = x.newID()
	return agent.Change{Run: r, Hears: mayStep(&x.run), Events: events(agent.StepStart{MessageID: r.State.DraftID})}
}

// saveAnswer stores a whole answer: message, calls, the step's bill and the
// run's new figures in one change.
func (x *execution) saveAnswer(comp agent.Completion) error {
	if x.run.State.FinishNow {
		comp.Calls = nil // it was asked for text alone
	}
	x.refusals = 0
	e := agent.Change{Run: x.with(agent.StatusRunning)}
	m := x.message(x.run.State.DraftID, agent.FromAssistant, x.transcript.last().ID, comp.Content)
	m.Reasoning, m.ReasoningMS, m.ToolCalls, m.Data, m.Usage = comp.Reasoning, x.writer.draft.thoughtFor(x.now()), comp.Calls, comp.Data, &comp.Usage
	x.source(&m)
	say(&e, m)
	booked, cost := x.account.bookAnswer(e.Run, comp)
	e = e.Then(booked)
	e.Run.State.DraftID, e.Run.State.Reminders, e.Run.State.Unfinished = "", nil, false
	e = e.Then(askOn(e.Run, comp))
	e.Run.State.ToolCalls += len(comp.Calls)
	for i, c := range comp.Calls {
		e = e.Then(askedCall(m, e.Run.Steps, i, c, cost))
		if slices.Contains(comp.Cut.IDs, c.ID) {
			e = e.Then(x.refuseCut(e.Calls[len(e.Calls)-1].Call, comp.Cut.Limit))
		}
	}
	e.Verdicts = x.breakers.trace(agent.Assessment{Muted: x.writer.draft.watch.muted}, nil)
	if text, ok := cutOffs[comp.FinishReason]; ok && len(comp.Calls) == 0 && !e.Run.State.Unfinished {
		e.Events = append(e.Events, events(agent.Notice{Message: text})...)
	}
	x.stage(e)
	return nil
}

// cutOffs are the finish reasons that a person should know of.
var cutOffs = map[string]string{
	"length":         "The answer was cut off at the output limit. Ask to continue.",
	"content_filter": "The provider's content filter cut this answer off.",
}

// refuseCut ends a call whose arguments the output limit has cut, before anything looks at
// it: half of them may be valid by chance, and the same once more would be cut again.
func (x *execution) refuseCut(c agent.ToolCall, limit int64) agent.Change {
	e := x.tools.finish(c, agent.CallRefused, agent.CallError, agent.ErrInvalidParams, fmt.Sprintf(
		"The arguments were cut off at the output limit of %d tokens, so the call was not run. Do not write them whole again: write it in parts, with several calls whose arguments are each well below that limit.", limit))
	e.Events = append(e.Events, events(agent.Notice{Message: fmt.Sprintf(
		"A call of %s was cut off at the output limit of %d tokens, so it was not run. The model was told to write it in parts.", c.Name, limit)})...)
	return e
}

// askedCall is one call that a message asks for, with its share of the step's bill.
func askedCall(m agent.Message, step, i int, c agent.CallRequest, cost int64) agent.Change {
	n, tokens := int64(len(m.ToolCalls)), int64(0)
	if m.Usage != nil {
		tokens = m.Usage.Total()
	}
	call := agent.ToolCall{
		ID: c.ID, RunID: m.RunID, ConversationID: m.ConversationID, MessageID: m.ID,
		Step: step, Index: i, Name: c.Name, Args: c.Arguments, State: agent.CallValidating,
		Tokens: tokens / n, CostMicros: cost / n,
	}
	call.ArgsHash = fingerprint.Args(call.Args, nil)
	return agent.Change{
		Calls:  []agent.CallChange{{Event: agent.CallAsked, Call: call}},
		Events: events(agent.ToolCallStateEvent{ToolCallID: c.ID, State: agent.CallValidating}),
	}
}

// modelFailed ends the run when its model is out of reach; an interrupted call
// is left to move, which knows the cause.
func (x *execution) modelFailed(ctx context.Context, comp agent.Completion, err error) error {
	if ended(ctx) {
		return x.cutOff(ctx, comp)
	}
	failed, ok := errors.AsType[*agent.ProviderError](err)
	if !ok {
		return err // the journal's own error, or a bug: leave the run as it is
	}
	x.Log.Warn("model call failed", "run_id", x.run.ID, "conversation_id", x.conv.ID,
		"status", failed.Status, "attempts", failed.Attempts, "error", failed)
	if x.run.State.HandIn.Limit != "" {
		return x.endAtLimit(failed.Message, comp)
	}
	return x.end(ending{
		status: agent.StatusFailed, reason: agent.StopProviderError, because: failed.Message,
		events: []agent.EventData{agent.ErrorEvent{Message: failed.Message, ErrorType: "provider_error", Retryable: failed.Retryable, Status: failed.Status}},
		took:   comp,
	})
}
