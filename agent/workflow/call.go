package workflow

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"fusebox/agent"
)

// Key says which call of a run makes which step.
type Key struct {
	// Place is that of the step, from 0; that of the judge is behind the last one.
	Place int
	// Round counts how often the workflow goes round, and Try how often a step is made in it, from 1.
	Round, Try int
	// Asks marks the question to a person what is to become of a step that has failed with that
	// try, or of a loop whose rounds are over with Try 0.
	Asks bool
}

// String is the beginning of the call's id.
func (k Key) String() string {
	kind := "t"
	if k.Asks {
		kind = "q"
	}
	return fmt.Sprintf("s%d-r%d-%s%d", k.Place, k.Round, kind, k.Try)
}

// keyText is how the id of a call begins.
var keyText = regexp.MustCompile(`^s([0-9]{1,4})-r([0-9]{1,4})-([tq])([0-9]{1,4})(?:-|$)`)

// KeyOf reads the id of a call; false for one that is of no step.
func KeyOf(callID string) (k Key, ok bool) {
	m := keyText.FindStringSubmatch(callID)
	if m == nil {
		return k, false
	}
	k.Place, _ = strconv.Atoi(m[1]) // digits, and few
	k.Round, _ = strconv.Atoi(m[2])
	k.Try, _ = strconv.Atoi(m[4])
	k.Asks = m[3] == "q"
	return k, true
}

// State is what has come of a call.
type State int

// The states of calls.
const (
	// Open is a call that is being made, or waits for a person.
	Open State = iota
	// Done is one with a result.
	Done
	// Failed is one without.
	Failed
	// Refused is one that a person has refused.
	Refused
)

// Call is a call of the run, with all that was handed back.
type Call struct {
	Key   Key
	State State
	// StepResult is that of a call that is Done; of a person the Answer is what they have said.
	agent.StepResult
	// Why says why the call has failed. To make it again with the same agent is in vain where
	// Futile is set, and with any where a person has stopped it: then Stopped is set as well.
	Why             string
	Futile, Stopped bool
}

// CallOf is what has come of a call of a run; false for one that is of no step. read reads what
// a run has handed back, or a value of it where one is named, of which the call's result has only the
// beginning; nil leaves it at that.
func CallOf(c agent.ToolCall, read func(runID, value string) string) (Call, bool) {
	key, ok := KeyOf(c.ID)
	if !ok {
		return Call{}, false
	}
	call := Call{Key: key, Why: c.Result}
	switch {
	case !c.State.Ended():
		return call, true
	case c.State == agent.CallSuccess && c.Name != agent.DelegateTool:
		call.State, call.Answer = Done, c.Result
		return call, true
	case c.ErrorType == agent.ErrRejected && c.Authority.Kind == agent.AuthorityApproval:
		call.State = Refused
		return call, true
	}
	call.State = Failed
	var res agent.DelegateResult
	if c.Name != agent.DelegateTool || json.Unmarshal([]byte(c.Result), &res) != nil || res.RunID == "" {
		call.Futile = true // it has made no run
		return call, true
	}
	var asked Delegate
	_ = json.Unmarshal(agent.RawArgs(c.Args), &asked) // they were read when the task was handed over
	call.handedBack(res, asked.Outputs)
	if call.State == Done && res.More != "" && read != nil {
		call.readWhole(asked.Outputs, read)
	}
	return call, true
}

// handedBack takes over what a run has handed back that was asked for outputs.
func (c *Call) handedBack(res agent.DelegateResult, outputs map[string]string) {
	c.RunID, c.Answer, c.Values, c.Sources = res.RunID, res.Answer, res.Values, res.Sources
	whole := len(res.Missing) == 0
	switch {
	case res.Status == agent.StatusFinished && whole, res.Status == agent.StatusStopped && whole && len(outputs) > 0:
		c.State = Done
	case res.Status == agent.StatusAborted:
		c.Why, c.Futile, c.Stopped = res.Why, true, true
	case res.Why != "":
		c.Why = res.Why
	case !whole:
		c.Why = missing(res.Missing)
	default:
		c.Why = "It ended before it was done."
	}
}

func missing(outputs []string) string {
	return "It has not handed back what was asked for: " + strings.Join(outputs, ", ") + "."
}

func (c *Call) readWhole(outputs map[string]string, read func(runID, value string) string) {
	if text := read(c.RunID, ""); text != "" {
		c.Answer = text
	}
	for name := range outputs {
		if _, shown := c.Values[name]; shown {
			continue
		}
		if text := read(c.RunID, name); text != "" {
			if c.Values == nil {
				c.Values = map[string]json.RawMessage{}
			}
			c.Values[name] = json.RawMessage(text)
		}
	}
}

// Situation is all that is known.
type Situation struct {
	Workflow agent.Workflow
	// Given are results of an earlier run, by their places.
	Given map[int]agent.StepResult
	// Message is the person's, Inputs what they have filled in.
	Message string
	Inputs  map[string]json.RawMessage
	// Outputs are the values that the run has to deliver, with their types.
	Outputs map[string]string
	Calls   []Call
}

// Move is what comes next: an end, or what begins. Where neither is set, the run waits for the
// calls that are open.
type Move struct {
	Begin []Begin
	// StopOthers says that the calls that are open are stopped: enough of them are done.
	StopOthers bool
	End        *End
}

// Begin is a call that is to be made.
type Begin struct {
	Key Key
	// Step is the name of its step.
	Step string
	// Delegate hands the step to an agent, or Ask puts it before a person; the other one is nil.
	Delegate *Delegate
	Ask      *Ask
}

// Delegate are the arguments of a task that is handed over.
type Delegate struct {
	Agent   string            `json:"agent"`
	Task    string            `json:"task"`
	Inputs  map[string]any    `json:"inputs,omitempty"`
	Outputs map[string]string `json:"outputs,omitempty"`
}

// Ask is a question to a person, or the wish that they take over.
type Ask struct {
	Question string   `json:"question,omitempty"`
	Reason   string   `json:"reason,omitempty"` // of the wish that they take over
	Options  []string `json:"options,omitempty"`
	Draft    string   `json:"draft,omitempty"`
	FreeText *bool    `json:"free_text,omitempty"`
}

// End is how the run ends.
type End struct {
	Status agent.Status
	Reason agent.StopReason
	// Because is one sentence, "" for a run that has reached its goal.
	Because string
	// Answer is what there is, Values are those of the steps that it is of.
	Answer string
	Values map[string]json.RawMessage
}
