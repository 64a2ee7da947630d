package loop

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"fusebox/agent"
	"fusebox/agent/fingerprint"
)

// calls are the run's tool calls, in the order of steps and of each answer.
type calls struct {
	list  []agent.ToolCall
	ended int      // so many of the first have ended, and stay as they are
	named []string // the ids of so many of the first
	loads int      // how often they were read from a snapshot
}

func (cs *calls) load(list []agent.ToolCall) {
	cs.list, cs.ended, cs.named = list, 0, nil
	cs.loads++
	cs.skipEnded()
}

func (cs *calls) adopt(changes []agent.CallChange) {
	for _, c := range changes {
		if c.From == "" {
			cs.list = append(cs.list, c.Call)
		} else if i := cs.index(c.Call.ID); i >= 0 {
			cs.list[i] = c.Call
		}
	}
	cs.skipEnded()
}

func (cs *calls) skipEnded() {
	for cs.ended < len(cs.list) && cs.list[cs.ended].State.Ended() {
		cs.ended++
	}
}

// index returns the position of a call, or -1. It searches from the newest call,
// which is the usual one.
func (cs *calls) index(id string) int {
	for i := len(cs.list) - 1; i >= 0; i-- {
		if cs.list[i].ID == id {
			return i
		}
	}
	return -1
}

// open are the calls from the first one on that has not ended.
func (cs *calls) open() []agent.ToolCall { return cs.list[cs.ended:] }

func (cs *calls) since(step int) []agent.ToolCall {
	i := len(cs.list)
	for i > 0 && cs.list[i-1].Step >= step {
		i--
	}
	return cs.list[i:]
}

// ids are those of all calls. The list only grows.
func (cs *calls) ids() []string {
	for _, c := range cs.list[len(cs.named):] {
		cs.named = append(cs.named, c.ID)
	}
	return slices.Clip(cs.named)
}

// any reports whether a call is in a state in which it has not ended.
func (cs *calls) any(s agent.CallState) bool {
	return slices.ContainsFunc(cs.open(), func(c agent.ToolCall) bool { return c.State == s })
}

// twin is the first call of the same answer that is equal to c and is made for both, as it
// is after e; nil for none. Nothing lies between them that may change what they do.
func (cs *calls) twin(c agent.ToolCall, e agent.Change, readOnly func(agent.ToolCall) bool) (twin *agent.ToolCall) {
	for _, d := range slices.Backward(cs.list[:cs.index(c.ID)]) {
		equal := d.Name == c.Name && d.ArgsHash == c.ArgsHash
		if d.Step != c.Step || !equal && !readOnly(d) {
			return twin
		}
		if equal {
			first := after(e, d)
			twin = &first
		}
	}
	return twin
}

// after is a call as it is after a change.
func after(e agent.Change, c agent.ToolCall) agent.ToolCall {
	if i := slices.IndexFunc(e.Calls, func(ch agent.CallChange) bool { return ch.Call.ID == c.ID }); i >= 0 {
		return e.Calls[i].Call
	}
	return c
}

// of is the call with an id. It has to be one of the run's.
func (cs *calls) of(id string) agent.ToolCall { return cs.list[cs.index(id)] }

// callTools are the tools as this run sees them.
type callTools struct {
	agent.Toolbox
	config agent.GuardConfig
	clock  agent.Clock
}

// spec is what a tool declares, as the guards' rules change it.
func (ts *callTools) spec(name string) (agent.ToolSpec, bool) {
	spec, known := ts.Lookup(name)
	return ts.config.Rule(name).Apply(spec), known
}

func (ts *callTools) readOnly(c agent.ToolCall) bool {
	spec, ok := ts.Lookup(c.Name)
	return ok && (spec.Effect == agent.EffectRead || (spec.Effect == agent.EffectNetwork && spec.Idempotent))
}

func (ts *callTools) pure(c agent.ToolCall) bool {
	spec, ok := ts.Lookup(c.Name)
	return ok && spec.Pure
}

// repeatable reports whether running a call twice does no harm.
func (ts *callTools) repeatable(c agent.ToolCall) bool {
	spec, known := ts.Lookup(c.Name)
	return known && (spec.Effect == agent.EffectRead || spec.Idempotent)
}

// finish ends a call with its one result.
func (ts *callTools) finish(c agent.ToolCall, event agent.CallEvent, to agent.CallState, kind agent.ErrorType, result string) agent.Change {
	from := c.State
	c.State, c.ErrorType, c.Result, c.EndedAt = to, kind, result, agent.Stamp(ts.clock)
	spec, _ := ts.spec(c.Name)
	c.ResultHash = fingerprint.Result(agent.OwnResult(result), spec.Volatile) + agent.ImageNames(c.Images)
	return agent.Change{
		Calls: []agent.CallChange{{From: from, Event: event, Call: c}},
		Events: events(
			agent.ToolCallResult{ToolCallID: c.ID, Result: result, ErrorType: kind, Truncated: c.Truncated, Images: c.Images},
			agent.ToolCallStateEvent{ToolCallID: c.ID, State: to},
		),
	}
}

// changeState moves a call that has no result yet.
func changeState(c agent.ToolCall, event agent.CallEvent, to agent.CallState) agent.Change {
	from := c.State
	c.State = to
	told := agent.ToolCallStateEvent{ToolCallID: c.ID, State: to}
	if event == agent.CallAllowed || event == agent.CallReleased && c.Authority.Kind != agent.AuthorityApproval {
		told.Rule = c.Authority
	}
	return agent.Change{Calls: []agent.CallChange{{From: from, Event: event, Call: c}}, Events: events(told)}
}

// schemaHash is the fingerprint of the arguments that a tool takes, or of all of a tool
// from outside.
func schemaHash(spec agent.ToolSpec) string {
	if spec.Fingerprint != "" {
		return spec.Fingerprint
	}
	sum := sha256.Sum256(spec.Parameters)
	return hex.EncodeToString(sum[:8])
}

// validationText joins the problems of arguments into one text for the model.
func validationText(err error) string {
	e, ok := errors.AsType[*agent.Error](err)
	if !ok || len(e.Fields) == 0 {
		return agent.MessageOf(err)
	}
	text := "The arguments do not match the tool's schema:"
	for _, f := range e.Fields {
		text += fmt.Sprintf("\n- %s: %s", f.Field, f.Detail)
	}
	return text
}

// sharesDue reports whether the twin of a call has ended.
func (cs *calls) sharesDue() bool { return slices.ContainsFunc(cs.open(), cs.shareDue) }

func (cs *calls) shareDue(c agent.ToolCall) bool {
	return c.State == agent.CallScheduled && c.Authority.Kind == agent.AuthorityTwin && cs.of(c.Authority.ID).State.Ended()
}

// share gives calls the results of their twins. The model is told where it may have meant
// that something happens more than once.
func (x *execution) share() {
	var e agent.Change
	for _, c := range x.calls.open() {
		if !x.calls.shareDue(c) {
			continue
		}
		twin := x.calls.of(c.Authority.ID)
		c.Source, c.Images = twin.Source, twin.Images
		result := twin.Result
		if twin.Attempt > 0 && !x.tools.readOnly(c) {
			result = agent.SharedResult + agent.OwnResult(result)
		}
		e = e.Then(x.tools.finish(c, agent.CallShared, twin.State, twin.ErrorType, result))
	}
	x.stage(e)
}
