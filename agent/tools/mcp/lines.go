package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"

	"fusebox/agent"
	"fusebox/agent/tools/printable"
)

// edited is a stream from a server whose pieces are changed on their way in.
type edited struct {
	io.ReadCloser
	pieces *bufio.Scanner
	edit   func([]byte) []byte
	left   []byte // of the piece that is being read
}

// edit cuts a stream into pieces by split and changes each. One that is longer than a
// message may be ends the stream.
func edit(stream io.ReadCloser, split bufio.SplitFunc, change func([]byte) []byte) *edited {
	const first = 4 << 10
	pieces := bufio.NewScanner(stream)
	pieces.Buffer(make([]byte, first), maxMessage)
	pieces.Split(split)
	return &edited{ReadCloser: stream, pieces: pieces, edit: change}
}

// errLongMessage ends the connection to a server that does not come to an end.
var errLongMessage = errors.New("it sent a message of more than 8 MB")

func (e *edited) Read(p []byte) (int, error) {
	for len(e.left) == 0 {
		if !e.pieces.Scan() {
			switch err := e.pieces.Err(); {
			case errors.Is(err, bufio.ErrTooLong):
				return 0, errLongMessage
			case err != nil:
				return 0, err
			}
			return 0, io.EOF
		}
		e.left = e.edit(e.pieces.Bytes())
	}
	n := copy(p, e.left)
	e.left = e.left[n:]
	return n, nil
}

// splitLines cuts at either character that ends a line: JSON contains neither, and what is
// drawn again and again on a terminal ends with the second.
func splitLines(data []byte, atEnd bool) (advance int, token []byte, err error) {
	if i := bytes.IndexAny(data, "\n\r"); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEnd && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// splitNothing is one piece.
func splitNothing(data []byte, atEnd bool) (advance int, token []byte, err error) {
	if !atEnd || len(data) == 0 {
		return 0, nil, nil
	}
	return len(data), data, nil
}

// messages are the lines of a server's output that are messages. The others are noise.
func messages(output io.ReadCloser, n *noise) io.ReadCloser {
	return edit(output, splitLines, func(line []byte) []byte {
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\uFEFF")))
		if len(line) == 0 {
			return nil
		}
		found := messagesIn(line)
		if len(found) == 0 {
			n.note(line)
		}
		var lines []byte
		for _, message := range found {
			lines = append(append(lines, readable(message)...), '\n')
		}
		return lines
	})
}

// messagesIn are the messages of a line: itself, the members of a list, or an answer behind
// a text that did not end its line. A log may quote requests, so only an answer is taken
// from behind a text; one that was heard before is of no effect.
func messagesIn(line []byte) [][]byte {
	if isMessage(line, false) {
		return [][]byte{line}
	}
	var list []json.RawMessage
	if json.Unmarshal(line, &list) == nil {
		var found [][]byte
		for _, one := range list {
			if isMessage(one, false) {
				found = append(found, one)
			}
		}
		return found
	}
	const tries = 8
	for range tries {
		i := bytes.Index(line, []byte(`{"`))
		if i < 0 {
			return nil
		}
		if isMessage(line[i:], true) {
			return [][]byte{line[i:]}
		}
		line = line[i+1:]
	}
	return nil
}

// isMessage reports whether a line is a message of the protocol, or an answer.
func isMessage(line []byte, answer bool) bool {
	var m struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
	}
	return json.Unmarshal(line, &m) == nil && m.Version == "2.0" && (!answer || m.Method == "" && m.ID != nil)
}

// noise is what a server wrote to its output that is no message.
type noise struct {
	mu    sync.Mutex
	count int
	first string
}

// maxNoise bounds what is kept of the first line.
const maxNoise = 4 << 10

func (n *noise) note(line []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.count++; n.count == 1 {
		n.first = string(line[:min(len(line), maxNoise)])
	}
}

// maxQuoted bounds what is shown of the first line.
const maxQuoted = 200

func (n *noise) problem(scrub func(string) string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.count == 0 {
		return ""
	}
	first := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, printable.Text(strings.ToValidUTF8(scrub(n.first), "\uFFFD")))
	return fmt.Sprintf("it wrote %d lines to its output that are no messages, which were skipped; the first: %s", n.count, agent.Clip(first, maxQuoted))
}
