package loop

import (
	"fmt"
	"strings"

	"fusebox/agent"
)

// maxUnanswered is how often in a row a model is asked again that has said nothing.
const maxUnanswered = 2

// askOn has the model asked again where its answer says nothing to the person, with a word
// about why.
func (x *execution) askOn(r *agent.Run, comp agent.Completion) (e agent.Change) {
	wrong, reminder := nothingSaid(comp)
	delivered := len(r.State.Outputs) > 0 && len(missingOutputs(r.State)) == 0 // what was asked for is there
	if wrong == "" || comp.Mistake == "" && delivered {
		r.State.Unanswered = 0
		return e
	}
	r.State.Unanswered++
	if r.State.Unanswered > maxUnanswered || r.State.FinishNow || comp.FinishReason == "content_filter" {
		return e // conclude ends the run
	}
	r.State.Unfinished = true
	remind(r, reminder)
	e.Events = events(agent.Notice{Message: fmt.Sprintf("The model was asked again (%d of %d): %s.", r.State.Unanswered, maxUnanswered, wrong)})
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
