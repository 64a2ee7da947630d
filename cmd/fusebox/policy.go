package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"fusebox/agent"
	"fusebox/agent/policy"
	"fusebox/agent/tools"
	"fusebox/cmd/fusebox/config"
	"fusebox/store"
)

const policyUsage = `usage: fusebox policy test FILE [--database] [flags]`

// errExampleFails is the end of policy test where an example came out otherwise.
var errExampleFails = errors.New("an example fails")

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
	examples, err := p.examples(rest[0])
	if err != nil {
		return err
	}
	var rules []agent.PolicyRule
	if database {
		if rules, err = storedRules(ctx, c); err != nil {
			return err
		}
	}
	return p.tryExamples(examples, policy.New(c.Policy.Rules...), rules)
}

func (p process) examples(path string) ([]example, error) {
	in, err := p.open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	examples, err := readExamples(in)
	if err != nil {
		return nil, usagef("%s, %v", path, err)
	}
	return examples, nil
}

// storedRules are the rules of admins and approvals that are in force in the database.
func storedRules(ctx context.Context, c config.Config) (rules []agent.PolicyRule, err error) {
	db, err := store.Open(ctx, store.Options{Path: c.Database, Clock: agent.SystemClock{}, NewID: newID, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.PolicyRules(ctx)
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
		wrong := e.wrong(r)
		if len(wrong) > 0 {
			failed++
		}
		if err := printExample(p.stdout, e, r, wrong); err != nil {
			return err
		}
	}
	p.say("%d of %d examples are as expected.", len(examples)-failed, len(examples))
	if failed > 0 {
		return errExampleFails
	}
	return nil
}

// wrong says in which ways a verdict is not the expected one.
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

func printExample(out io.Writer, e example, r agent.PolicyVerdict, wrong []string) error {
	verdict, why := "ok  ", ""
	if len(wrong) > 0 {
		verdict, why = "FAIL", " ("+strings.Join(wrong, "; ")+")"
	}
	_, err := fmt.Fprintf(out, "%s line %d: %s %s at %s risk by %s%s: %s\n", verdict, e.line, e.Tool, r.Action, r.Risk, r.Rule, why, r.Reason)
	return err
}
