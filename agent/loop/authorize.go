package loop

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"fusebox/agent"
	"fusebox/agent/fingerprint"
)

// authorizer decides whether a call may run: by policy, by standing rules, by what
// people have granted and by what they have refused.
type authorizer struct {
	*rows
	view   *toolView
	owner  agent.Viewer // the person the run works for
	grants []agent.Grant
	rules  []agent.PolicyRule
	// minConfidence is how sure in percent the model has to be of its answer.
	minConfidence int
}

// outcome is what was decided about a call.
type outcome int

const (
	allowed outcome = iota
	refused
	asks
	asksItself // the tool asks a person by being called
)

// decision is what becomes of a call, and why.
type decision struct {
	outcome outcome
	// by lets the call run; verdict is what policy says of it.
	by      agent.Authority
	verdict agent.PolicyVerdict
	// errorType and text are what the model reads of a refusal.
	errorType agent.ErrorType
	text      string
	// loads says that the tool of a refused call comes into view.
	loads bool
}

func refusedFor(kind agent.ErrorType, text string) decision {
	return decision{outcome: refused, errorType: kind, text: text}
}

// authorize decides whether a call may run, when it is first looked at and once
// more right before it is executed: its tool exists and is the one that was
// decided on, so are the arguments, and they fit it; no person has refused it, and
// policy, a grant or the decision about it lets it run. Breakers have judged a call
// before that; whether the authority of a scheduled call is still valid is checked by
// its claim, in the same transaction.
func (au *authorizer) authorize(c agent.ToolCall) decision {
	spec, known := au.tools.Lookup(c.Name)
	if d, ok := au.executable(c, spec, known); !ok {
		return d
	}
	if spec.AsksPerson {
		return decision{outcome: asksItself}
	}
	r := au.verdict(spec, c)
	d := decision{outcome: allowed, by: r.Rule, verdict: r}
	switch text := au.refusal(c); {
	case text != "":
		d.outcome, d.errorType, d.text = refused, agent.ErrRejected, text
	case c.SchemaHash != "" && c.SchemaHash != schemaHash(spec):
		d.outcome, d.verdict.Reason = asks, "The tool has changed since this call was decided on."
	case r.Action == agent.ActionDeny:
		since := "No longer allowed here: "
		if c.State == agent.CallValidating {
			since = "Not allowed here: "
		}
		d.outcome, d.errorType, d.text = refused, agent.ErrRejected, since+r.Reason
	case r.Action == agent.ActionAsk:
		by, ok := au.covered(c, r)
		changed := au.stale(c)
		if !ok || changed != "" {
			d.outcome, d.verdict.Reason = asks, cmp.Or(changed, r.Reason)
		}
		d.by = by
	}
	return d
}

// executable refuses a call that cannot run, whoever allowed it.
func (au *authorizer) executable(c agent.ToolCall, spec agent.ToolSpec, known bool) (decision, bool) {
	first := c.State == agent.CallValidating
	switch {
	case known && au.view.withheld(spec) != "":
		return refusedFor(agent.ErrPermission, au.view.withheld(spec)), false
	case known && !spec.MayBeUsedBy(au.owner.Role):
		return refusedFor(agent.ErrPermission, "The person you work for may not use "+c.Name+"."), false
	case known && au.view.forgets(spec):
		return refusedFor(agent.ErrPermission, "The person has switched their memory off: nothing is remembered or recalled."), false
	case known && !au.conv.Chooses(spec.SetName()):
		return refusedFor(agent.ErrPermission, "The tool "+c.Name+" is of the set "+spec.SetName()+", which this conversation does not have."), false
	case first && known && au.view.hides(spec):
		d := refusedFor(agent.ErrInvalidParams, "The tool "+c.Name+" was not in view, so this call was not executed. "+
			"It is in view from now on: call it again, with the arguments that its schema asks for.")
		d.loads = true
		return d, false
	case first:
	case !known:
		return refusedFor(agent.ErrNotRegistered, "There is no tool "+c.Name+" any more."), false
	case fingerprint.Args(c.Args, nil) != c.ArgsHash:
		return refusedFor(agent.ErrRejected, "The arguments differ from the ones that were decided on."), false
	}
	if _, err := au.tools.Validate(c.Name, c.Args); err != nil { // a breaker may have blocked what could not run anyway
		kind := agent.ErrInvalidParams
		if agent.CodeOf(err) == agent.NotFound {
			kind = agent.ErrNotRegistered
		}
		return refusedFor(kind, validationText(err)), false
	}
	return decision{}, true
}

// revoked asks about a scheduled call whose claim found that its authority was
// revoked.
func (au *authorizer) revoked(c agent.ToolCall) decision {
	spec, _ := au.tools.Lookup(c.Name)
	r := au.verdict(spec, c)
	r.Reason = "The permission for this call was revoked before it was executed."
	return decision{outcome: asks, verdict: r}
}

// verdict asks policy about a call. A call that policy allows still asks a person if the
// model's confidence in it is below the threshold.
func (au *authorizer) verdict(spec agent.ToolSpec, c agent.ToolCall) agent.PolicyVerdict {
	req := agent.PolicyRequest{
		Spec: spec, Args: agent.RawArgs(c.Args), Mode: au.conv.ApprovalMode, Owner: au.owner, Rules: au.rules,
		Files: func() []agent.SeenFile { return au.files(c) }, Named: au.named(spec, c), Untrusted: au.untrusted(),
		Repeated: func() bool { return au.repeated(c) },
	}
	if j, judged := au.run.State.Risks[c.ID]; judged && au.run.State.RiskStep == c.Step {
		req.Judged = &j
	}
	r := au.loop.Policy.Rule(req)
	if r.Action == agent.ActionAllow {
		if says, unsure := au.unsure(spec, c); unsure {
			return agent.PolicyVerdict{Action: agent.ActionAsk, Risk: r.Risk, Rule: agent.BuiltIn(agent.RuleMinConfidence), Reason: says}
		}
	}
	return r
}

// unsure reports whether the model's stated confidence is below the threshold.
func (au *authorizer) unsure(spec agent.ToolSpec, c agent.ToolCall) (says string, unsure bool) {
	if !spec.Confident || au.minConfidence == 0 {
		return "", false
	}
	var args struct {
		Confidence *float64 `json:"confidence"`
	}
	if json.Unmarshal([]byte(c.Args), &args) != nil || args.Confidence == nil {
		return "", false
	}
	percent := int(math.Round(*args.Confidence * 100))
	return fmt.Sprintf("The agent is %d%% sure of its answer; below %d%% a person is asked.", percent, au.minConfidence), percent < au.minConfidence
}

// named reports whether the address that a call is about was named before it.
func (au *authorizer) named(spec agent.ToolSpec, c agent.ToolCall) bool {
	if spec.Address == "" {
		return false
	}
	var args map[string]any
	if json.Unmarshal([]byte(c.Args), &args) != nil {
		return false
	}
	address, _ := args[spec.Address].(string)
	return au.told(address)
}

// repeated reports whether a run of the same tree that has not finished may have made exactly
// this call. Where that cannot be found out it may.
func (au *authorizer) repeated(c agent.ToolCall) bool {
	if !au.run.Lineage.IsChild() && !slices.ContainsFunc(au.calls.list, isDelegation) {
		return false
	}
	ctx, cancel := commitContext()
	defer cancel()
	made, err := au.journal.MadeInVain(ctx, au.run, c)
	return made || err != nil
}

// refresh reads which rules are in force now, and what asks at all: a run
// may last longer than one of them.
func (au *authorizer) refresh() error {
	ctx, cancel := commitContext()
	defer cancel()
	rules, err := au.journal.PolicyRules(ctx)
	if err != nil {
		return err
	}
	au.rules = rules
	mode, err := au.journal.ApprovalMode(ctx, au.conv.ID)
	au.conv.ApprovalMode = au.family.mode(au.run, mode)
	return err
}

// granted finds an earlier decision that covers a call. It does not outrank a
// rule that asks and is newer than the decision.
func (au *authorizer) granted(c agent.ToolCall, r agent.PolicyVerdict) (agent.Grant, bool) {
	var since time.Time // when the asking rule was created, zero if policy itself asks
	if i := slices.IndexFunc(au.rules, func(rule agent.PolicyRule) bool { return r.Rule == rule.Authority() }); i >= 0 {
		since = au.rules[i].CreatedAt
	}
	for _, g := range au.grants {
		if !g.Fits(c, r.Risk) || g.DecidedAt.Before(since) {
			continue
		}
		spec, known := au.tools.Lookup(g.ToolName)
		if known && spec.Fingerprint == g.Fingerprint && au.sameFiles(g, c) { // the tool is still the one that it was given for
			return g, true
		}
	}
	return agent.Grant{}, false
}

// covered returns what lets a call run that policy asks about. Before the call is
// scheduled that is a grant; afterwards only what it was scheduled by counts.
func (au *authorizer) covered(c agent.ToolCall, r agent.PolicyVerdict) (agent.Authority, bool) {
	if c.State == agent.CallValidating || c.Authority.Kind == agent.AuthorityScope {
		g, ok := au.granted(c, r)
		return g.Authority(), ok
	}
	a, ok := au.approvals.byID(c.Authority.ApprovalID())
	return c.Authority, ok && r.Risk.AtMost(a.Risk)
}

// refusal is what the model reads of a call that a person refused before, "" where
// nobody has. Who decides about exactly this call decides that again; who lets the
// run continue that a breaker paused does not.
func (au *authorizer) refusal(c agent.ToolCall) string {
	if c.State == agent.CallValidating {
		if au.approvals.refused(c) {
			return "A person has already refused this call with these arguments in this run. Do not try it again; find another way or ask."
		}
		return ""
	}
	if a, ok := au.approvals.byID(c.Authority.ApprovalID()); ok && a.Kind == agent.KindLoop && au.approvals.refused(c) {
		return "A person has refused this call with these arguments in this run. Continuing the run does not change that: find another way or ask."
	}
	return ""
}
