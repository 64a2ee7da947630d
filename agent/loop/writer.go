package loop

import (
	"cmp"
	"context"

	"fusebox/agent"
)

// writer has the run's model write its next message, and keeps the part that has been streamed.
type writer struct {
	*rows
	account  *account
	prompter *prompter
	breakers *breakers
	output   agent.OutputMode
	// draft is the streamed part of the message that has no row yet.
	draft draft
	// took is the usage of a model call that was cut off, as far as it is known.
	took agent.Completion
}

// begin forgets the message before.
func (wr *writer) begin() {
	task := wr.transcript.task()
	wr.took = agent.Completion{}
	guards := func(of agent.DeltaKind) []agent.StreamGuard { return wr.loop.Streams(wr.breakers.settings, task, of) }
	wr.draft = draft{watch: streamWatch{make: guards, off: wr.breakers.settings.Off}}
}

// write sends the request and turns its deltas into events.
func (wr *writer) write(ctx context.Context, req agent.Request) (agent.Completion, error) {
	wr.begin()
	s := &messageStream{
		rows: wr.rows, draft: &wr.draft, text: portion{mode: wr.output}, reasoning: portion{mode: wr.output},
		out: newCoalescer(wr.clock, streamFrame, wr.teller()),
	}
	comp, err := wr.loop.Provider.Complete(ctx, req, func(d agent.Delta) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return s.write(d)
	})
	return comp, cmp.Or(err, s.close())
}

// saveVoid settles what a call took of which no whole answer came, because a
// further try did not fit the budgets: the next move asks for room.
func (wr *writer) saveVoid(comp agent.Completion) error {
	e := agent.Change{Run: wr.with(agent.StatusRunning)}
	if wr.draft.shown {
		e.Events = events(agent.MessageReset{ID: wr.run.State.DraftID})
	}
	comp.FinishReason, comp.Calls = "budget", nil
	if comp.Usage.Total() > 0 {
		booked, _ := wr.account.bookAnswer(e.Run, comp)
		e = e.Then(booked)
	}
	e.Run.State.DraftID = ""
	if err := wr.commit(e); err != nil {
		return err
	}
	return wr.account.release() // where nothing was settled
}

// estimate counts what a model call took whose usage the provider did not send.
func (wr *writer) estimate() agent.Usage {
	reasoning := wr.loop.Counter.CountText(wr.draft.reasoning.String())
	return agent.Usage{Estimated: true, Tokens: agent.Tokens{
		InputTokens:     wr.loop.Counter.CountPrompt(wr.prompter.request()),
		OutputTokens:    wr.loop.Counter.CountText(wr.draft.text.String()) + wr.loop.Counter.CountText(wr.draft.arguments.String()) + reasoning,
		ReasoningTokens: reasoning,
	}}
}

// keep makes a message of what was streamed before the run was cut off,
// so that people keep the text they have read; half calls are dropped.
func (wr *writer) keep(r *agent.Run, took agent.Completion) (e agent.Change) {
	id := r.State.DraftID
	if id == "" {
		return e
	}
	r.State.DraftID = ""
	if took.Usage.Total() == 0 {
		took = wr.took
	}
	if !wr.draft.shown && took.Usage.Total() == 0 {
		return e
	}
	if wr.draft.calls {
		// The half calls on the page are void; the text comes again as the message.
		e.Events = append(e.Events, events(agent.MessageReset{ID: id})...)
	}
	if took.Usage.Total() == 0 {
		took.Usage = wr.estimate()
	}
	took.FinishReason, took.Calls = "interrupted", nil
	booked, _ := wr.account.bookAnswer(r, took)
	e = e.Then(booked)
	text := wr.draft.text.String()
	if text == "" {
		return e
	}
	m := wr.message(id, agent.FromAssistant, wr.transcript.last().ID, text)
	m.Reasoning, m.Usage = wr.draft.reasoning.String(), &took.Usage
	wr.source(&m)
	if wr.draft.calls {
		e.Events = append(e.Events, events(agent.TextDelta{ID: id, Delta: text})...)
	}
	say(&e, m)
	return e
}
