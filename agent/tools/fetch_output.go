package tools

import (
	"context"
	_ "embed" // the description is a file
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"fusebox/agent"
)

//go:embed fetch_output.md
var fetchOutputText string

// fetchOutput reads a kept output by part; inline is how many bytes of a result the
// model reads.
type fetchOutput struct {
	outputs *outputs
	inline  int
}

func (fetchOutput) Spec() agent.ToolSpec {
	s := builtin("fetch_output", fetchOutputText, `{
		"type": "object", "additionalProperties": false, "required": ["path"],
		"properties": {
			"path": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "The path that the cut result names, such as outputs/…/….txt"},
			"part": {"type": "integer", "minimum": 1, "maximum": 1000000, "description": "Which part, 1 if left out"}
		}
	}`)
	s.Effect, s.Risk, s.Idempotent = agent.EffectRead, agent.RiskLow, true
	return s
}

func (t fetchOutput) Run(ctx context.Context, in agent.ToolInput) agent.ToolResult {
	args := struct {
		Path string
		Part int64
	}{Part: 1}
	if err := decode(in, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	clean, err := within(args.Path)
	if err != nil {
		return fileFailure(args.Path, err)
	}
	below, kept := t.outputs.holds(in.ConversationID, clean)
	if !kept {
		return failed(agent.ErrFileNotFound, "%s is not a kept output. Cut results name theirs; read_file reads files.", args.Path)
	}
	read, err := t.outputs.documentsOf(ctx, in.ConversationID, below)
	if err != nil {
		return unfound(err)
	}
	f, err := t.outputs.open(below)
	if err != nil {
		return fileFailure(args.Path, err)
	}
	defer func() { _ = f.Close() }()
	res := t.part(f, args.Path, args.Part)
	res.Documents = read
	return res
}

// part reads one part of a file. A character belongs to the part in which it begins.
func (t fetchOutput) part(f *os.File, name string, n int64) agent.ToolResult {
	info, err := f.Stat()
	if err != nil {
		return fileFailure(name, err)
	}
	size := filePart{inline: int64(t.inline)}.size()
	parts := max((info.Size()+size-1)/size, 1)
	if n > parts {
		return failed(agent.ErrInvalidParams, "part: %s has %d.", name, parts)
	}
	b, err := io.ReadAll(io.NewSectionReader(f, (n-1)*size, size+utf8.UTFMax-1))
	if err != nil {
		return fileFailure(name, err)
	}
	text := strings.ToValidUTF8(string(begunWithin(b, int(size), n > 1)), "\uFFFD")
	if parts > 1 {
		text += fmt.Sprintf("\n[… part %d of %d …]", n, parts)
	}
	return agent.ToolResult{Content: text}
}

// begunWithin are the characters that begin in the first size bytes; later says that the
// last one of the part before may end in them.
func begunWithin(b []byte, size int, later bool) []byte {
	start, end := 0, min(size, len(b))
	for later && start < min(utf8.UTFMax-1, end) && !utf8.RuneStart(b[start]) {
		start++
	}
	for end < len(b) && !utf8.RuneStart(b[end]) {
		end++
	}
	return b[start:end]
}
