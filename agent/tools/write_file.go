package tools

import (
	"context"
	_ "embed" // the description is a file
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"fusebox/agent"
	"fusebox/agent/encoded"
)

//go:embed write_file.md
var writeFileText string

const (
	maxWrite = 1 << 20
	// maxDiffed bounds the files that are compared line by line for an approval.
	maxDiffed = 256 << 10
	maxDiff   = 64 << 10
)

// writeFile writes a text file of the workspace, the old one or the new one
// and never half of it.
type writeFile struct{ spaces workspaces }

type writeArgs struct{ Path, Content string }

func (writeFile) Spec() agent.ToolSpec {
	s := builtin("write_file", writeFileText, `{
		"type": "object", "additionalProperties": false, "required": ["path", "content"],
		"properties": {
			"path": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "A file of the workspace; its folders are made"},
			"content": {"type": "string", "maxLength": 1048576, "description": "The whole new content"}
		}
	}`)
	s.Set, s.Effect, s.Risk, s.Idempotent = agent.FileTools, agent.EffectWrite, agent.RiskMedium, true
	return s
}

func (t writeFile) Run(ctx context.Context, in agent.ToolInput) agent.ToolResult {
	var args writeArgs
	if err := decode(in, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	if len(args.Content) > maxWrite {
		return failed(agent.ErrInvalidParams, "The content has %d bytes; at most %d are allowed.", len(args.Content), maxWrite)
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
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fileFailure(args.Path, err)
	}
	if err == nil {
		what, err := t.spaces.conflict(ctx, root, in, name, version(was, size))
		switch {
		case err != nil:
			return failed(agent.ErrExecution, "It is not known who has written %s, so it was left as it is. Try again.", args.Path)
		case what != "":
			return failed(agent.ErrExecution, "%s was %s. Nothing was overwritten. Read it again, then write once more.", args.Path, what)
		}
	}
	raw, err := args.over(was)
	if err != nil {
		return failed(agent.ErrExecution, "%s: %v, or use another path.", args.Path, err)
	}
	if err := t.spaces.replace(root, name, raw, fileName(in.CallID)); err != nil {
		return fileFailure(args.Path, err)
	}
	return agent.ToolResult{Content: fmt.Sprintf("Wrote %d bytes to %s.", len(raw), args.Path), File: wrote(in, name, raw)}
}

// over is the content as bytes of the file that it takes the place of: in its encoding.
func (a writeArgs) over(was string) (string, error) {
	text, ok := encoded.Read(was, len(was) == maxRead)
	if !ok {
		return a.Content, nil
	}
	return text.Write(a.Content)
}

// replace writes beside the file and renames. A link that leads out is refused
// like any path that does; the file keeps its permissions.
func (w workspaces) replace(root *os.Root, name, content, unique string) error {
	mode := fs.FileMode(0o600)
	switch info, err := root.Stat(name); {
	case err == nil && w.check(info) != nil:
		return w.check(info)
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case isOption(name):
		return errOption
	}
	if dir := path.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	draft := path.Join(path.Dir(name), ".writing-"+unique)
	if err := writeNew(root, draft, content, mode); err != nil {
		return errors.Join(err, remove(root, draft))
	}
	if err := root.Rename(draft, name); err != nil {
		return errors.Join(err, remove(root, draft))
	}
	return nil
}

func writeNew(root *os.Root, name, content string, mode fs.FileMode) error {
	f, err := createNew(root, name)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Chmod(mode), f.Close())
}

// remove is for what may not be there at all.
func remove(root *os.Root, name string) error {
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Evidence shows what would change, in the file as the calls before this one leave it. If it
// is another file when the call runs, people are asked again.
func (t writeFile) Evidence(in agent.ToolInput) agent.ToolEvidence {
	var args writeArgs
	if decode(in, &args) != nil {
		return agent.ToolEvidence{}
	}
	root, name, err := t.spaces.reach(in.ConversationID, args.Path)
	if err != nil {
		return agent.ToolEvidence{Diff: fileFailure(args.Path, err).Content}
	}
	defer func() { _ = root.Close() }()
	old, size, err := t.spaces.read(root, name)
	if left, ok := leftBy(in.Before, name); ok {
		old, size, err = left, int64(len(left)), nil
	}
	from := "a/" + name
	switch {
	case errors.Is(err, fs.ErrNotExist) && isOption(name):
		return agent.ToolEvidence{Diff: fileFailure(args.Path, errOption).Content}
	case errors.Is(err, fs.ErrNotExist):
		from = "/dev/null"
	case err != nil:
		return agent.ToolEvidence{Diff: fileFailure(args.Path, err).Content}
	}
	var e agent.ToolEvidence
	if err == nil {
		e.Files = []agent.SeenFile{{Path: name, Hash: version(old, size)}}
	}
	if size > maxDiffed {
		e.Diff = tooLarge(size, len(args.Content))
		return e
	}
	if _, err := args.over(old); err != nil {
		e.Diff = fmt.Sprintf("%s: %v", args.Path, err)
		return e
	}
	if text, ok := encoded.Read(old, false); ok {
		old = text.Content
	}
	e.Diff = diffOf(from, "b/"+name, old, args.Content)
	return e
}

// diffOf compares two texts for an approval.
func diffOf(from, to, old, now string) string {
	if len(old) > maxDiffed || len(now) > maxDiffed {
		return tooLarge(int64(len(old)), len(now))
	}
	diff := strings.ToValidUTF8(udiff.Unified(from, to, old, now), "\uFFFD")
	if len(diff) > maxDiff {
		diff = headAndTail(diff, maxDiff, "")
	}
	return diff
}

func tooLarge(old int64, now int) string {
	return fmt.Sprintf("The file has %d bytes and would have %d: too large to compare.", old, now)
}
