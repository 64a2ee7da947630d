package loop

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"fusebox/agent"
	"fusebox/agent/fingerprint"
)

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

func invalidType(err error) agent.ErrorType {
	if agent.CodeOf(err) == agent.NotFound {
		return agent.ErrNotRegistered
	}
	return agent.ErrInvalidParams
}

// validationText joins the problems of arguments into one text for the model.
func validationText(err error) string {
	var e *agent.Error
	if !errors.As(err, &e) || len(e.Fields) == 0 {
		return agent.MessageOf(err)
	}
	text := "The arguments do not match the tool's schema:"
	for _, f := range e.Fields {
		text += fmt.Sprintf("\n- %s: %s", f.Field, f.Detail)
	}
	return text
}
