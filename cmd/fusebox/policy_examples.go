package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"fusebox/agent"
	"fusebox/cmd/fusebox/config"
)

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

// maxExample bounds a line of examples, in bytes.
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
	return e, e.complete()
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
