package tools

import (
	"context"
	_ "embed" // the description is a file
	"fmt"
	"strings"

	"fusebox/agent"
	"fusebox/agent/encoded"
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
	s.Set, s.Effect, s.Risk = agent.FileTools, agent.EffectWrite, agent.RiskMedium
	return s
}

func (t editFile) Run(ctx context.Context, in agent.ToolInput) agent.ToolResult {
	var args editArgs
	if err := decode(in, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	root, name, err := t.spaces.reach(in.ConversationID, args.Path)
	if err != nil {
		return fileFailure(args.Path, err)
	}
	defer func() { _ = root.Close() }()
	leave, err := t.spaces.turn(ctx, in)
	if err != nil {
		return untouched(args.Path)
	}
	defer leave()
	was, size, err := t.spaces.read(root, name)
	if err != nil {
		return fileFailure(args.Path, err)
	}
	file, err := args.apply(was, size)
	if err != nil {
		return failed(agent.ErrExecution, "%s: %v", args.Path, err)
	}
	if err := t.spaces.replace(root, name, file.raw, fileName(in.CallID)); err != nil {
		return fileFailure(args.Path, err)
	}
	return agent.ToolResult{Content: fmt.Sprintf("Edited %s: %s replaced.", args.Path, times(file.count)), File: wrotePart(in, name, was, file.raw)}
}

// edited is a file with an edit made.
type edited struct {
	raw      string // what the file will hold
	was, now string // its text
	count    int
}

// apply makes the edit in a file, in its own encoding. size is that of the whole file.
func (a editArgs) apply(raw string, size int64) (edited, error) {
	switch {
	case size > maxRead:
		return edited{}, fmt.Errorf("it has %d bytes; files of at most %d can be edited", size, maxRead)
	case a.Old == a.New:
		return edited{}, fmt.Errorf("old and new are the same text; nothing would change")
	}
	text, ok := encoded.Read(raw, false)
	if !ok {
		return edited{}, fmt.Errorf("it is not a text file")
	}
	now, count, err := a.replaced(text.Content)
	if err != nil {
		return edited{}, err
	}
	after, err := text.Write(now)
	if err == nil && len(after) > maxWrite {
		err = errTooLarge
	}
	return edited{raw: after, was: text.Content, now: now, count: count}, err
}

var errTooLarge = fmt.Errorf("it would become too large; at most %d bytes are allowed", maxWrite)

// replaced is the text with the edit made, and in how many places.
func (a editArgs) replaced(text string) (string, int, error) {
	edit, plain := newReplacement(a.Old, a.New), plainEnds.Replace(text)
	onlyEnds := edit.old == edit.new
	if onlyEnds {
		edit.old, edit.new, plain = oneByteEnds.Replace(a.Old), oneByteEnds.Replace(a.New), oneByteEnds.Replace(text)
	}
	count := strings.Count(plain, edit.old)
	switch {
	case count == 0:
		return "", 0, fmt.Errorf("the old text was not found; read the file again, it has to be given exactly as it is there")
	case count > 1 && !a.All:
		return "", 0, fmt.Errorf("the old text was found %d times; give more of its surroundings, or set all", count)
	case len(plain)+count*(len(edit.new)-len(edit.old)) > maxWrite:
		return "", 0, errTooLarge
	case onlyEnds:
		return strings.ReplaceAll(strings.ReplaceAll(plain, edit.old, edit.new), crlf, "\r\n"), count, nil
	default:
		return edit.apply(text, plain), count, nil
	}
}

// crlf stands for \r\n where the ends of lines are what an edit is about: no text has it,
// and neither half of the two is taken for an end of its own.
const crlf = "\xff"

var oneByteEnds = strings.NewReplacer("\r\n", crlf)

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
	file, err := args.apply(was, size)
	if err != nil {
		e.Diff = fmt.Sprintf("%s: %v", args.Path, err)
		return e
	}
	e.Diff = diffOf("a/"+name, "b/"+name, file.was, file.now)
	return e
}

// Leaves says what the file will contain.
func (t editFile) Leaves(in agent.ToolInput) map[string]string {
	args, name, was, size, problem := t.target(in)
	if problem != "" {
		return nil
	}
	file, err := args.apply(was, size)
	if err != nil {
		return nil
	}
	return map[string]string{name: file.raw}
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
