package tools

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"fusebox/agent"
)

// partMark is room for the line that says where to read on: a part is never cut again.
const partMark = 200

// filePart is a part of a file to read, in bytes.
type filePart struct {
	name          string
	offset, limit int64
	// inline is how many bytes of a result the model reads.
	inline int64
}

// size is how many bytes to read at most.
func (p filePart) size() int64 {
	room := min(max(p.inline-partMark, p.inline/2, utf8.UTFMax), maxRead)
	if p.limit <= 0 {
		return room
	}
	return min(max(p.limit, utf8.UTFMax), room)
}

// read reads the part and closes the file. It never splits a character, and replaces bytes
// of command output that are not valid UTF-8.
func (p filePart) read(f *os.File) agent.ToolResult {
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return fileFailure(p.name, err)
	}
	if p.offset > 0 && p.offset >= info.Size() {
		return failed(agent.ErrInvalidParams, "offset: %s ends at byte %d.", p.name, info.Size())
	}
	b, err := io.ReadAll(io.NewSectionReader(f, p.offset, p.size()))
	if err != nil {
		return fileFailure(p.name, err)
	}
	next := p.offset + int64(len(b))
	if next < info.Size() {
		b = wholeRunes(b)
		next = p.offset + int64(len(b))
	}
	text := strings.ToValidUTF8(string(b), "\uFFFD")
	if next < info.Size() {
		text += fmt.Sprintf("\n[… bytes %d to %d of %d; read on with offset %d …]", p.offset, next, info.Size(), next)
	}
	return agent.ToolResult{Content: text}
}

// wholeRunes leaves out a character that is cut in two at the end.
func wholeRunes(b []byte) []byte {
	for back := 1; back < utf8.UTFMax && back < len(b); back++ {
		if start := len(b) - back; utf8.RuneStart(b[start]) {
			if !utf8.FullRune(b[start:]) {
				return b[:start]
			}
			break
		}
	}
	return b
}
