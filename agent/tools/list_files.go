package tools

import (
	"context"
	_ "embed" // the description is a file
	"fmt"
	"io/fs"
	"strings"

	"fusebox/agent"
)

//go:embed list_files.md
var listFilesText string

const maxEntries = 1000

// listFiles lists one folder of the workspace.
type listFiles struct{ spaces workspaces }

func (listFiles) Spec() agent.ToolSpec {
	s := builtin("list_files", listFilesText, `{
		"type": "object", "additionalProperties": false,
		"properties": {"path": {"type": "string", "maxLength": 1000, "description": "A folder of the workspace; . or nothing is the workspace itself"}}
	}`)
	s.Effect, s.Risk, s.Idempotent = agent.EffectRead, agent.RiskLow, true
	return s
}

func (t listFiles) Run(_ context.Context, in agent.ToolInput) agent.ToolResult {
	var args struct{ Path string }
	if err := decode(in, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	if args.Path == "" {
		args.Path = "."
	}
	root, name, err := t.spaces.reach(in.ConversationID, args.Path)
	if err != nil {
		return fileFailure(args.Path, err)
	}
	defer func() { _ = root.Close() }()
	entries, err := fs.ReadDir(root.FS(), name)
	if err != nil {
		return fileFailure(args.Path, err)
	}
	if len(entries) == 0 {
		return agent.ToolResult{Content: args.Path + " is empty."}
	}
	var b strings.Builder
	for i, e := range entries {
		if i == maxEntries {
			fmt.Fprintf(&b, "… and %d more\n", len(entries)-i)
			break
		}
		b.WriteString(entryLine(e))
	}
	return agent.ToolResult{Content: b.String()}
}

func entryLine(e fs.DirEntry) string {
	if e.IsDir() {
		return e.Name() + "/\n"
	}
	info, err := e.Info()
	if err != nil {
		return e.Name() + "\n" // gone since the folder was read
	}
	return fmt.Sprintf("%s\t%d bytes\n", e.Name(), info.Size())
}
