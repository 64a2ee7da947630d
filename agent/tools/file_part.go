package tools

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"fusebox/agent"
	"fusebox/agent/encoded"
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
		if whole := wholeRunes(b); len(whole) > 0 {
			next = p.offset + int64(len(whole))
			b = whole
		}
	}
	text := strings.ToValidUTF8(string(b), "\uFFFD")
	if next < info.Size() {
		text += p.goesOn(next, info.Size())
	}
	return agent.ToolResult{Content: text}
}

// maxHead is how much of a file is looked at to find out how it is written.
const maxHead = 64 << 10

// readEncoded is read for a file that may not be written in UTF-8. Offsets are those of the
// file all the same.
func (p filePart) readEncoded(f *os.File) agent.ToolResult {
	info, err := f.Stat()
	head := make([]byte, maxHead)
	n, readErr := f.ReadAt(head, 0)
	if err != nil || readErr != nil && !errors.Is(readErr, io.EOF) {
		return fileFailure(p.name, errors.Join(err, readErr, f.Close()))
	}
	text, ok := encoded.Read(string(head[:n]), info.Size() > int64(n))
	if at := text.Aligned(p.offset); ok && at < info.Size() {
		p.offset = at
	}
	decoder := text.Decoder()
	if !ok || decoder == nil || p.offset >= info.Size() {
		return p.read(f)
	}
	defer func() { _ = f.Close() }()
	b := make([]byte, p.size())
	if n, err = f.ReadAt(b, p.offset); err != nil && !errors.Is(err, io.EOF) {
		return fileFailure(p.name, err)
	}
	out := make([]byte, filePart{inline: p.inline}.size())
	written, read, _ := decoder.Transform(out, b[:n], p.offset+int64(n) >= info.Size()) // what has no room comes next
	content := string(out[:written])
	if next := p.offset + int64(read); next < info.Size() {
		content += p.goesOn(next, info.Size())
	}
	return agent.ToolResult{Content: content + encodingNote(text)}
}

// goesOn says where to read on.
func (p filePart) goesOn(next, size int64) string {
	return fmt.Sprintf("\n[… bytes %d to %d of %d; read on with offset %d …]", p.offset, next, size, next)
}

// wholeRunes leaves out a character that is cut in two at the end.
func wholeRunes(b []byte) []byte {
	for back := 1; back < utf8.UTFMax && back <= len(b); back++ {
		if start := len(b) - back; utf8.RuneStart(b[start]) {
			if !utf8.FullRune(b[start:]) {
				return b[:start]
			}
			break
		}
	}
	return b
}
