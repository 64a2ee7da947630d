package loop

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"fusebox/agent"
)

// A run that has reached a limit gets a tenth of its running time on top to hand in what it
// has, within these bounds: enough for one answer, and nothing that a person would wait for in vain.
const (
	minGrace = 10 * time.Second
	maxGrace = time.Minute
)

// errHandsIn says that a run hands in what it has from here on, for which it has more time.
var errHandsIn = errors.New("the run hands in what it has")

// reachLimit ends a run at its limit of steps or time. Before that its model is asked once,
// without tools, to hand in what it has; what else the run was doing ends now.
func (x *execution) reachLimit(how ending) error {
	if x.run.State.HandIn.Limit != "" {
		return x.endAtLimit("", agent.Completion{})
	}
	r := x.with(agent.StatusRunning)
	e, _ := x.windUp(r, how)
	r.State.HandIn.Limit = how.reason
	if limit := r.Limits.Duration(); limit > 0 {
		r.State.HandIn.UntilMS = max(limit, r.Active+min(max(limit/10, minGrace), maxGrace)).Milliseconds()
	}
	r.State.FinishNow, r.State.Unfinished = true, true
	e.Run = r
	e.Events = append(e.Events, events(agent.Notice{
		Message: fmt.Sprintf("The run has reached its limit of %s. The model was asked to hand in what it has.", limitWords(how.reason)),
	})...)
	if err := x.commit(e); err != nil {
		return err
	}
	x.flight.drop(x.run.ID)
	x.writer.begin()
	x.reminders.standing = ""
	return errHandsIn
}

func limitWords(r agent.StopReason) string {
	if r == agent.StopTimeout {
		return "running time"
	}
	return "model calls"
}

// handInReminder asks for what a run has that is about to end.
func handInReminder(s agent.RunState) string {
	text := "[System reminder] This run has reached its limit of " + limitWords(s.HandIn.Limit) + ", and this is its last answer. No tools are available any more. " +
		"Hand in what you have: say what is done, what is not done, and what is unknown."
	if missing := missingOutputs(s); len(missing) > 0 {
		text += " Put what you have of these outputs into your answer, as one JSON object with these names: " +
			listOutputs(agent.RunState{Outputs: missing, Purposes: s.Purposes}) + "."
	}
	return text
}

// endAtLimit ends a run that was asked to hand in what it has. why is what kept it from that,
// "" for nothing but the answer itself, and took what a failed call has taken.
func (x *execution) endAtLimit(why string, took agent.Completion) error {
	how := ending{status: agent.StatusStopped, reason: x.run.State.HandIn.Limit, took: took, handsIn: x.writer.draft.text.String()}
	switch answered := !x.run.State.Unfinished; {
	case answered && x.run.State.Unanswered == 0:
		how.because, how.handsIn = "The run handed in what it had.", x.transcript.lastAnswer()
	case !answered && how.handsIn != "":
		how.because = strings.TrimSpace("The run was cut off while it handed in what it had. " + why)
	default:
		how.because = strings.TrimSpace("The run could not hand in what it had. " + why)
	}
	return x.end(how)
}

// deliver adds the outputs that an answer hands in to those that were delivered.
func deliver(r *agent.Run, answer string) {
	values := handedIn(answer, missingOutputs(r.State))
	if len(values) == 0 {
		return
	}
	maps.Copy(values, r.State.Values)
	r.State.Values = values
}

// What looking for an object in an answer may read in all: some times its length, where what
// begins one costs a few bytes at least. Braces of code are found out at once; it is nested objects that are never
// closed that would be read again and again.
const (
	handedInReads = 4
	handedInLeast = 64 << 10
	handedInTry   = 512
)

// handedIn are the values of declared outputs in an answer: those of its first JSON object
// that has one of their names, wherever it stands. Values of another type are left out.
func handedIn(answer string, declared map[string]string) map[string]json.RawMessage {
	if len(declared) == 0 {
		return nil
	}
	for left := handedInReads*len(answer) + handedInLeast; left > 0; {
		at := strings.IndexByte(answer, '{')
		if at < 0 {
			return nil
		}
		answer = answer[at:]
		if inner := strings.TrimLeft(answer[1:], " \t\r\n"); strings.HasPrefix(inner, `"`) {
			object, read := leadingObject(answer)
			if values, found := declaredOf(object, declared); found {
				return values
			}
			left -= read + handedInTry
		}
		answer = answer[1:]
	}
	return nil
}

// leadingObject is the object with which a text begins, nil for none, and how much of the
// text had to be read for that.
func leadingObject(text string) (object map[string]json.RawMessage, read int) {
	d := json.NewDecoder(strings.NewReader(text))
	err := d.Decode(&object)
	var wrong *json.SyntaxError
	switch {
	case err == nil:
		return object, int(d.InputOffset())
	case errors.As(err, &wrong):
		return nil, int(wrong.Offset)
	default:
		return nil, len(text)
	}
}

// declaredOf are the values of an object that fit declared outputs; found is whether it names any.
func declaredOf(object map[string]json.RawMessage, declared map[string]string) (values map[string]json.RawMessage, found bool) {
	values = map[string]json.RawMessage{}
	for name, kind := range declared {
		value, named := object[name]
		found = found || named
		if named && isOutput(value, kind) {
			values[name] = value
		}
	}
	return values, found
}

// isOutput reports whether a value is of an output's type.
func isOutput(value json.RawMessage, kind string) bool {
	var v any
	return json.Unmarshal(value, &v) == nil && agent.OutputTypes[kind](v)
}
