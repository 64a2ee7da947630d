package loop

import (
	"context"
	"fmt"
	"strings"

	"fusebox/agent"
)

// tryRefused settles what a call took whose further try did not fit. The next
// move asks for room, for the model that is asked first. Where it comes to the
// same again, that is not what is in the way: a person is asked about this try.
func (x *execution) tryRefused(why *agent.InsufficientBudget, comp agent.Completion) error {
	was := x.run
	if err := x.writer.saveVoid(comp); err != nil {
		return err
	}
	if x.refusals++; x.refusals == 1 && x.run.State.HandIn.Limit == "" {
		return nil
	}
	x.refusals = 0
	tokens, micros := x.run.Usage.Total()-was.Usage.Total(), x.run.CostMicros-was.CostMicros
	why.UsedTokens, why.UsedMicros = why.UsedTokens+tokens, why.UsedMicros+micros
	why.NextTokens, why.NextMicros = why.NextTokens-tokens, why.NextMicros-micros
	return x.outOfBudget(why)
}

// cutOff keeps what a call took that was cut off: the end of the run bills it.
// If the process lets go of the run, this is lost later: it is billed
// now, and the answer starts over.
func (x *execution) cutOff(ctx context.Context, comp agent.Completion) error {
	if leavesRun(context.Cause(ctx)) && comp.Usage.Total() > 0 {
		return x.writer.saveVoid(comp)
	}
	x.writer.took = comp
	return nil
}

// settleTooLong ends the reservation of a prompt that did not fit: it took
// nothing, unless another model had begun to answer it before.
func (x *execution) settleTooLong(comp agent.Completion) error {
	if comp.Usage.Total() == 0 {
		return x.account.release()
	}
	return x.writer.saveVoid(comp)
}

// maxBefore is how many characters before a repetition are shown with it.
const maxBefore = 200

// saveCut stores the text before a repetition as the answer, settles what
// the call took (estimated where the provider has not said), and asks a person
// how to continue. Calls that were half announced are void.
func (x *execution) saveCut(v agent.Verdict, comp agent.Completion) error {
	if comp.Usage == (agent.Usage{}) {
		comp.Usage = x.writer.estimate()
	}
	e := agent.Change{Run: x.with(agent.StatusRunning)}
	id := e.Run.State.DraftID
	text := x.writer.draft.text.String()
	kept := text[:min(max(v.Keep, 0), len(text))]
	e.Events = events(agent.MessageReset{ID: id})
	if strings.TrimSpace(kept) != "" {
		m := x.message(id, agent.FromAssistant, x.transcript.last().ID, kept)
		m.Usage = &comp.Usage
		x.source(&m)
		e.Events = append(e.Events, events(agent.TextDelta{ID: id, Delta: kept})...)
		say(&e, m)
	}
	comp.FinishReason, comp.Calls = "cut", nil
	booked, _ := x.account.bookAnswer(e.Run, comp)
	e = e.Then(booked)
	e.Run.State.DraftID, e.Run.State.Unfinished = "", true
	e.Run.State.Reminders = []string{x.reminders.text(v, "")}
	e.Verdicts = x.breakers.trace(agent.Assessment{Worst: v, Muted: x.writer.draft.watch.muted}, nil)
	ev := x.breakers.evidence(v, nil)
	if v.Keep <= len(text) { // else it is the reasoning that repeats, or a call's arguments
		before := []rune(kept)
		ev.Place = &agent.TextPlace{At: len(before), Before: string(before[max(len(before)-maxBefore, 0):])}
	}
	e.Events = append(e.Events, events(guardEvent(v, ev))...)
	if e.Run.State.HandIn.Limit != "" {
		if err := x.commit(e); err != nil {
			return err
		}
		return x.endAtLimit(v.Message, agent.Completion{})
	}
	return x.commit(e.Then(x.requests.open("", x.requests.aboutLoop(v, ev, nil))))
}

// maxUnanswered is how often in a row a model is asked again that has said nothing.
const maxUnanswered = 2

// askOn has the model asked again where its answer says nothing to the person, with a word
// about why.
func askOn(r *agent.Run, comp agent.Completion) (e agent.Change) {
	wrong, reminder := nothingSaid(comp)
	delivered := len(r.State.Outputs) > 0 && len(missingOutputs(r.State)) == 0 // what was asked for is there
	if wrong == "" || comp.Mistake == "" && delivered {
		r.State.Unanswered = 0
		return e
	}
	most := maxUnanswered
	if r.Lineage.IsChild() {
		most = 1 // its parent is told, and knows what to do
	}
	r.State.Unanswered++
	if r.State.Unanswered > most || r.State.FinishNow || comp.FinishReason == "content_filter" {
		return e // conclude ends the run
	}
	r.State.Unfinished = true
	remind(r, reminder)
	e.Events = events(agent.Notice{Message: fmt.Sprintf("The model was asked again (%d of %d): %s.", r.State.Unanswered, most, wrong)})
	return e
}

// nothingSaid says in what an answer is none, for the person and for the model; both are
// "" where it is one.
func nothingSaid(comp agent.Completion) (wrong, reminder string) {
	const say = " Now write your answer as text, or call a tool."
	switch why := comp.Mistake; {
	case why != "":
		wrong = "it wrote a tool call as text, and " + why
		reminder = "[System reminder] You wrote a tool call as text, and it was not made: " + why +
			". Call a tool that is offered, in the way in which tools are called here. Put text that only shows how calls are written into a code block."
		if comp.FinishReason == "length" {
			reminder += " You reached the output limit: write it in parts, with several calls that are each well below it."
		}
		return wrong, reminder
	case len(comp.Calls) > 0 || strings.TrimSpace(comp.Content) != "":
		return "", ""
	case comp.FinishReason == "length":
		return "its reasoning took all of the output", "[System reminder] Your reasoning has used up all of the output, and nothing of it is shown to the person. Reason briefly." + say
	default:
		return "it gave no answer", "[System reminder] You gave no answer: your reasoning is not shown to the person, and tools are not called from it." + say
	}
}

// unanswered ends a run whose model has said nothing, however often it was asked.
func unanswered() ending {
	const why = "The model gave no answer."
	return ending{
		status: agent.StatusFailed, reason: agent.StopProviderError, because: why,
		events: []agent.EventData{agent.ErrorEvent{Message: why, ErrorType: "provider_error", Retryable: true}},
	}
}
