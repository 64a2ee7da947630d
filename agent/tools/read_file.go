package tools

import (
	"context"
	_ "embed" // the description is a file
	"errors"
	"fmt"
	"io"
	"os"

	"fusebox/agent"
	"fusebox/agent/encoded"
	"fusebox/agent/tools/picture"
)

//go:embed read_file.md
var readFileText string

// maxRead bounds what is read of one file.
const maxRead = 1 << 20

// readFile reads a text file of the workspace, or an output that was kept; inline is
// how many bytes of a result the model reads.
type readFile struct {
	spaces  workspaces
	outputs *outputs
	inline  int
}

func (readFile) Spec() agent.ToolSpec {
	s := builtin("read_file", readFileText, `{
		"type": "object", "additionalProperties": false, "required": ["path"],
		"properties": {
			"path": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "A file of the workspace, or a kept output"},
			"offset": {"type": "integer", "minimum": 0, "description": "The byte to begin at, 0 if left out"},
			"limit": {"type": "integer", "minimum": 1, "description": "How many bytes to read at most"}
		}
	}`)
	s.Set, s.Effect, s.Risk, s.Idempotent = agent.FileTools, agent.EffectRead, agent.RiskLow, true
	return s
}

func (t readFile) Run(ctx context.Context, in agent.ToolInput) agent.ToolResult {
	var args struct {
		Path          string
		Offset, Limit int64
	}
	if err := decode(in, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	part := filePart{name: args.Path, offset: args.Offset, limit: args.Limit, inline: int64(t.inline)}
	clean, err := within(args.Path)
	if err != nil {
		return fileFailure(args.Path, err)
	}
	if below, kept := t.outputs.holds(in.ConversationID, clean); kept {
		return t.kept(ctx, in, below, part)
	}
	root, err := t.spaces.open(in.ConversationID)
	if err != nil {
		return fileFailure(args.Path, err)
	}
	defer func() { _ = root.Close() }()
	use := t.spaces.sight(root, in, clean)
	res := t.shown(root, clean, part)
	if res.ErrorType == "" {
		res.File = use
	}
	return res
}

// kept is a part of an output that was kept.
func (t readFile) kept(ctx context.Context, in agent.ToolInput, below string, part filePart) agent.ToolResult {
	read, err := t.outputs.documentsOf(ctx, in.ConversationID, below)
	if err != nil {
		return unfound(err)
	}
	f, err := t.outputs.open(below)
	if err != nil {
		return fileFailure(part.name, err)
	}
	res := part.read(f)
	res.Documents = read
	return res
}

func (t readFile) shown(root *os.Root, clean string, part filePart) agent.ToolResult {
	if shown, ok := t.spaces.picture(root, clean); ok {
		return shown
	}
	if part.offset > 0 || part.limit > 0 {
		f, err := t.spaces.openFile(root, clean)
		if err != nil {
			return fileFailure(part.name, err)
		}
		return part.readEncoded(f)
	}
	return t.whole(root, clean, part.name)
}

// whole reads a file of the workspace up to maxRead.
func (t readFile) whole(root *os.Root, clean, name string) agent.ToolResult {
	raw, size, err := t.spaces.read(root, clean)
	if err != nil {
		return fileFailure(name, err)
	}
	more := size > maxRead
	text, ok := encoded.Read(raw, more)
	switch {
	case ok:
		raw = text.Content
	case !more:
		return failed(agent.ErrExecution, "%s is not a text file (%d bytes).", name, size)
	}
	if more {
		raw += fmt.Sprintf("\n[… the file goes on: %d of %d bytes are shown …]", maxRead, size)
	}
	return agent.ToolResult{Content: raw + encodingNote(text)}
}

// encodingNote says how a file is written that is not UTF-8.
func encodingNote(text encoded.Text) string {
	if text.Encoding() == "" {
		return ""
	}
	return fmt.Sprintf("\n[… the file is written in %s; what edits it keeps that …]", text.Encoding())
}

// sniffed is how many bytes say what a file is.
const sniffed = 512

// picture is a file of a workspace as a result, if it is a picture that can be shown.
func (w workspaces) picture(root *os.Root, name string) (res agent.ToolResult, ok bool) {
	f, err := w.openFile(root, name)
	if err != nil {
		return res, false
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || info.Size() > agent.MaxImageBytes {
		return res, false
	}
	start := make([]byte, sniffed)
	n, err := io.ReadFull(f, start)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) || picture.TypeOf(start[:n]) == "" {
		return res, false
	}
	rest, err := io.ReadAll(io.LimitReader(f, agent.MaxImageBytes))
	if err != nil {
		return res, false
	}
	var roll picture.Roll
	res.Content = roll.Add(append(start[:n], rest...))
	res.Images = roll.Images
	return res, res.Content != ""
}
