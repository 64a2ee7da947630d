package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"fusebox/agent"
	"fusebox/agent/policy"
	"fusebox/agent/tools"
	"fusebox/cmd/fusebox/config"
)

const policyUsage = `usage: fusebox policy test FILE [--database] [flags]`

// policy is fusebox policy: what the rules make of calls.
func (p process) policy(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return usagef("%s", policyUsage)
	}
	if args[0] != "test" {
		return usagef("unknown command policy %q\n%s", args[0], policyUsage)
	}
	var database bool
	rest, err := split(args[1:], nil, map[string]*bool{"database": &database})
	if err != nil {
		return err
	}
	if len(rest) > 0 && (rest[0] == "-" || !strings.HasPrefix(rest[0], "-")) {
		rest = append(rest[1:], rest[0]) // the file may come before the flags
	}
	c, rest, err := p.loadConfig("policy test", rest)
	if err != nil {
		return err
	}
	if len(rest) != 1 {
		return usagef("policy test needs one FILE, or - for standard input\n%s", policyUsage)
	}
	in, err := p.open(rest[0])
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	examples, err := readExamples(in)
	if err != nil {
		return usagef("%s, %v", rest[0], err)
	}
	var rules []agent.PolicyRule // of admins and approvals that are in force
	if database {
		db, err := p.openStore(ctx, c)
		if err != nil {
			return err
		}
		rules, err = db.PolicyRules(ctx)
		if err = errors.Join(err, db.Close()); err != nil {
			return err
		}
	}
	return p.tryExamples(examples, policy.New(c.Policy.Rules...), rules)
}

// tryExamples prints what becomes of each example, and which rule decided.
func (p process) tryExamples(examples []example, pol *policy.Policy, rules []agent.PolicyRule) error {
	specs := map[string]agent.ToolSpec{}
	for _, s := range tools.Builtin() {
		specs[s.Name] = s
	}
	failed := 0
	for _, e := range examples {
		spec, builtin := specs[e.Tool]
		if !builtin {
			spec = agent.ToolSpec{Name: e.Tool, Effect: e.Effect}
		}
		r := pol.Rule(agent.PolicyRequest{
			Spec: spec, Args: e.Args, Mode: e.Mode, Owner: agent.Viewer{Email: e.Owner, Role: e.Role}, Rules: rules,
		})
		verdict, why := "ok  ", ""
		if wrong := e.wrong(r); len(wrong) > 0 {
			verdict, why = "FAIL", " ("+strings.Join(wrong, "; ")+")"
			failed++
		}
		_, err := fmt.Fprintf(p.stdout, "%s line %d: %s %s at %s risk by %s%s: %s\n", verdict, e.line, e.Tool, r.Action, r.Risk, r.Rule, why, r.Reason)
		if err != nil {
			return err
		}
	}
	p.say("%d of %d examples are as expected.", len(examples)-failed, len(examples))
	if failed > 0 {
		return errTripped
	}
	return nil
}

func (e example) wrong(r agent.PolicyVerdict) []string {
	var all []string
	for _, c := range []struct{ what, want, got string }{
		{"action", string(e.Expect), string(r.Action)}, {"risk", string(e.Risk), string(r.Risk)}, {"rule", e.Rule, r.Rule.String()},
	} {
		if c.want != "" && c.want != c.got {
			all = append(all, fmt.Sprintf("%s %s, expected %s", c.what, c.got, c.want))
		}
	}
	return all
}

// example is one line of a file of fusebox policy test: a call, and what policy
// is to make of it.
type example struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
	// Effect is for tools that are not built in.
	Effect agent.Effect       `json:"effect"`
	Mode   agent.ApprovalMode `json:"mode"`
	Owner  string             `json:"owner"`
	Role   agent.Role         `json:"role"`
	// Expect is the action; Risk and Rule are compared where they are given.
	Expect agent.Action `json:"expect"`
	Risk   agent.Risk   `json:"risk"`
	Rule   string       `json:"rule"`

	line int
}

const exampleKeys = "tool, args, effect, mode, owner, role, expect, risk, rule"

const maxExample = 1 << 20

// readExamples reads one JSON object a line; empty lines and those that begin
// with # are skipped. Errors name the line and the field.
func readExamples(in io.Reader) ([]example, error) {
	var all []example
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxExample)
	for n := 1; lines.Scan(); n++ {
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 || text[0] == '#' {
			continue
		}
		e, problem := readExample(text)
		if problem != "" {
			return nil, usagef("line %d: %s", n, problem)
		}
		e.line = n
		all = append(all, e)
	}
	if err := lines.Err(); err != nil {
		return nil, usagef("cannot be read: %v", err)
	}
	if len(all) == 0 {
		return nil, usagef("contains no examples; write one JSON object per line, with the fields %s", exampleKeys)
	}
	return all, nil
}

func readExample(text []byte) (e example, problem string) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var kind *json.UnmarshalTypeError
	switch err := d.Decode(&e); {
	case errors.As(err, &kind):
		return e, fmt.Sprintf("%s is a %s; allowed: a text", kind.Field, kind.Value)
	case err != nil && strings.Contains(err.Error(), "unknown field"):
		_, field, _ := strings.Cut(err.Error(), "unknown field ")
		return e, fmt.Sprintf("%s is not a field of an example; allowed: %s", strings.Trim(field, `"`), exampleKeys)
	case err != nil || d.More():
		return e, "is not a JSON object"
	}
	problem = e.complete()
	return e, problem
}

// complete checks an example and fills in what it leaves out.
func (e *example) complete() (problem string) {
	if e.Args == nil {
		e.Args = json.RawMessage(`{}`)
	}
	if e.Mode == "" {
		e.Mode = agent.ModeDefault
	}
	if e.Role == "" {
		e.Role = agent.RoleUser
	}
	if e.Tool == "" {
		return "tool is missing; it is the name of the tool that is called"
	}
	// A rule has the same fields with the same values, so its check speaks of them.
	asRule := agent.PolicyRule{Tool: e.Tool, Effect: e.Effect, Risk: e.Risk, Mode: e.Mode, Who: "role:" + string(e.Role), Action: agent.ActionAsk}
	if e.Expect == "" {
		return "expect is missing; allowed: allow, ask, deny"
	}
	if problem := config.FieldProblem(asRule.Check()); problem != "" {
		return strings.Replace(problem, "who:", "role:", 1)
	}
	asRule = agent.PolicyRule{Action: e.Expect, Tool: "x"}
	return strings.Replace(config.FieldProblem(asRule.Check()), "action:", "expect:", 1)
}
