package tools

import (
	"context"
	_ "embed" // the description is a file
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"fusebox/agent"
)

//go:embed glob.md
var globText string

// maxBraces bounds the alternatives of a pattern, which multiply.
const maxBraces = 4

type globFiles struct{ spaces workspaces }

func (globFiles) Spec() agent.ToolSpec {
	s := builtin("glob", globText, `{
		"type": "object", "additionalProperties": false, "required": ["pattern"],
		"properties": {"pattern": {"type": "string", "minLength": 1, "maxLength": 500, "description": "A pattern for paths, such as **/*.go"}}
	}`)
	s.Set, s.Effect, s.Risk, s.Idempotent = agent.FileTools, agent.EffectRead, agent.RiskLow, true
	return s
}

func (t globFiles) Run(ctx context.Context, in agent.ToolInput) agent.ToolResult {
	var args struct{ Pattern string }
	if err := decode(in, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	root, pattern, err := t.spaces.reach(in.ConversationID, args.Pattern)
	if err != nil {
		return fileFailure(args.Pattern, err)
	}
	defer func() { _ = root.Close() }()
	if strings.Count(pattern, "{") > maxBraces || !doublestar.ValidatePattern(pattern) {
		return failed(agent.ErrInvalidParams, "pattern: %q is not a pattern; allowed: **, *, ?, [a-z] and up to %d {a,b}", args.Pattern, maxBraces)
	}
	files := &tree{root: root, hidden: namesHidden(pattern), left: maxWalked}
	var b strings.Builder
	found, more := 0, false
	files.walk(ctx, ".", func(name string) bool {
		if !doublestar.MatchUnvalidated(pattern, name) {
			return true
		}
		if more = found == maxEntries; more {
			return false
		}
		found++
		b.WriteString(plainName(name) + "\n")
		return true
	})
	switch {
	case more:
		fmt.Fprintf(&b, "[… and more; the first %d are listed …]\n", maxEntries)
	case files.cut:
		fmt.Fprintf(&b, "[… the workspace has more than %d files; the others were not looked at …]\n", maxWalked)
	case found == 0:
		fmt.Fprintf(&b, "No file matches %s.\n", args.Pattern)
	}
	return agent.ToolResult{Content: b.String()}
}
