package tools

import (
	"context"
	_ "embed" // the description is a file
	"fmt"
	"strings"
	"unicode/utf8"

	"fusebox/agent"
)

//go:embed edit_file.md
var editFileText string

// editFile replaces a text in a file of the workspace. It is not idempotent: the new
// text may contain the old one.
type editFile struct{ spaces workspaces }

type editArgs struct {
	Path, Old, New string
	All            bool
}

func (editFile) Spec() agent.ToolSpec {
	s := builtin("edit_file", editFileText, `{
		"type": "object", "additionalProperties": false, "required": ["path", "old", "new"],
		"properties": {
			"path": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "A text file of the workspace"},
			"old": {"type": "string", "minLength": 1, "maxLength": 1048576, "description": "The text to replace, exactly as it is in the file"},
			"new": {"type": "string", "maxLength": 1048576, "description": "What takes its place"},
			"all": {"type": "boolean", "description": "Replace it everywhere; once if left out"}
		}
	}`)
	s.Set = agent.FileTools
	s.Effect, s.Risk = agent.EffectWrite, agent.RiskMedium
	return s
}

func (t editFile) Run(_ context.Context, in agent.ToolInput) agent.ToolResult {
	var args editArgs
	if err := decode(in, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	root, name, err := t.spaces.reach(in.ConversationID, args.Path)
	if err != nil {
		return fileFailure(args.Path, err)
	}
	defer func() { _ = root.Close() }()
	was, size, err := t.spaces.read(root, name)
	if err != nil {
		return fileFailure(args.Path, err)
	}
	now, count, err := args.apply(was, size)
	if err != nil {
		return failed(agent.ErrExecution, "%s: %v", args.Path, err)
	}
	if err := t.spaces.replace(root, name, now, fileName(in.CallID)); err != nil {
		return fileFailure(args.Path, err)
	}
	return agent.ToolResult{Content: fmt.Sprintf("Edited %s: %s replaced.", args.Path, times(count))}
}

// apply makes the edit in a text, and counts what it replaced. size is that of the whole file.
func (a editArgs) apply(text string, size int64) (string, int, error) {
	switch {
	case size > maxRead:
		return "", 0, fmt.Errorf("it has %d bytes; files of at most %d can be edited", size, maxRead)
	case !utf8.ValidString(text):
		return "", 0, fmt.Errorf("it is not a text file")
	case a.Old == a.New:
		return "", 0, fmt.Errorf("old and new are the same text; nothing would change")
	}
	count := strings.Count(text, a.Old)
	switch {
	case count == 0 && strings.Contains(text, strings.ReplaceAll(a.Old, "\n", "\r\n")):
		return "", 0, fmt.Errorf("the old text is there with other line ends; the file's lines end with \\r\\n")
	case count == 0:
		return "", 0, fmt.Errorf("the old text was not found; read the file again, it has to be given exactly as it is there")
	case count > 1 && !a.All:
		return "", 0, fmt.Errorf("the old text was found %d times; give more of its surroundings, or set all", count)
	case len(text)+count*(len(a.New)-len(a.Old)) > maxWrite:
		return "", 0, fmt.Errorf("it would become too large; at most %d bytes are allowed", maxWrite)
	}
	return strings.ReplaceAll(text, a.Old, a.New), count, nil
}

func times(n int) string {
	if n == 1 {
		return "1 place"
	}
	return fmt.Sprintf("%d places", n)
}

// Evidence shows what would change, in the file as the calls before this one leave it.
// If it is another file when the call runs, people are asked again.
func (t editFile) Evidence(in agent.ToolInput) agent.ToolEvidence {
	args, name, was, size, problem := t.target(in)
	if problem != "" {
		return agent.ToolEvidence{Diff: problem}
	}
	e := agent.ToolEvidence{Files: []agent.SeenFile{{Path: name, Hash: hashOf(was)}}}
	now, _, err := args.apply(was, size)
	if err != nil {
		e.Diff = fmt.Sprintf("%s: %v", args.Path, err)
		return e
	}
	e.Diff = diffOf("a/"+name, "b/"+name, was, now)
	return e
}

// Leaves says what the file will contain.
func (t editFile) Leaves(in agent.ToolInput) map[string]string {
	args, name, was, size, problem := t.target(in)
	if problem != "" {
		return nil
	}
	now, _, err := args.apply(was, size)
	if err != nil {
		return nil
	}
	return map[string]string{name: now}
}

// target reads the file of a call, as the calls before it leave it; problem says why
// that cannot be.
func (t editFile) target(in agent.ToolInput) (args editArgs, name, was string, size int64, problem string) {
	if err := decode(in, &args); err != nil {
		return args, "", "", 0, err.Error()
	}
	root, name, err := t.spaces.reach(in.ConversationID, args.Path)
	if err != nil {
		return args, "", "", 0, fileFailure(args.Path, err).Content
	}
	defer func() { _ = root.Close() }()
	if left, ok := leftBy(in.Before, name); ok {
		return args, name, left, int64(len(left)), ""
	}
	was, size, err = t.spaces.read(root, name)
	if err != nil {
		return args, "", "", 0, fileFailure(args.Path, err).Content
	}
	return args, name, was, size, ""
}

// leftBy is what the last of the calls that writes a file leaves in it.
func leftBy(before []agent.EarlierCall, name string) (text string, ok bool) {
	for _, b := range before {
		if left, writes := b.Leaves[name]; writes {
			text, ok = left, true
		}
	}
	return text, ok
}
