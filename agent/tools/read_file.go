package tools

import (
	"context"
	_ "embed" // the description is a file
	"fmt"
	"unicode/utf8"

	"fusebox/agent"
)

//go:embed read_file.md
var readFileText string

// maxRead bounds what is read of one file.
const maxRead = 1 << 20

// readFile reads a text file of the workspace.
type readFile struct{ spaces workspaces }

func (readFile) Spec() agent.ToolSpec {
	s := builtin("read_file", readFileText, `{
		"type": "object", "additionalProperties": false, "required": ["path"],
		"properties": {"path": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "A file of the workspace"}}
	}`)
	s.Effect, s.Risk, s.Idempotent = agent.EffectRead, agent.RiskLow, true
	return s
}

func (t readFile) Run(_ context.Context, in agent.ToolInput) agent.ToolResult {
	var args struct{ Path string }
	if err := decode(in, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	root, name, err := t.spaces.reach(in.ConversationID, args.Path)
	if err != nil {
		return fileFailure(args.Path, err)
	}
	defer func() { _ = root.Close() }()
	text, size, err := t.spaces.read(root, name)
	switch {
	case err != nil:
		return fileFailure(args.Path, err)
	case !utf8.ValidString(text) && size <= maxRead:
		return failed(agent.ErrExecution, "%s is not a text file (%d bytes).", args.Path, size)
	case size > maxRead:
		text += fmt.Sprintf("\n[… the file goes on: %d of %d bytes are shown …]", maxRead, size)
	}
	return agent.ToolResult{Content: text}
}
