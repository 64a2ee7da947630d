package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Reader is all that the rest of the package knows of how an answer arrives.
// The habits of its chunks are undone.
// Next returns io.EOF after the last chunk of a body; ErrDone after the
// stream's own end mark. A chunk is valid until the next call.
type Reader interface {
	Next() (Chunk, error)
}

// ErrDone says that the stream signalled its end.
var ErrDone = errors.New("the stream is done")

// readSize is the buffer of one stream: some twenty chunks.
const readSize = 4 << 10

// Open looks at the body, not at its Content-Type: a stream of events, or
// one JSON completion instead of it. onEvent is called for each event with data.
func Open(body io.Reader, onEvent func()) (Reader, error) {
	r := bufio.NewReaderSize(body, readSize)
	b, err := firstByte(r)
	if err != nil {
		return nil, err
	}
	switch b {
	case '{', '[':
		return readWhole(r, onEvent)
	case '<':
		page, _ := io.ReadAll(io.LimitReader(r, maxExcerpt)) // for the log, as much as there is
		return nil, &Failure{Retryable: true, Said: "answered with a web page instead of an answer", Err: errors.New(excerpt(page))}
	default:
		return &eventStream{events: &sseReader{r: r}, onEvent: onEvent}, nil
	}
}

// Streams reports whether an answer comes in pieces.
func Streams(r Reader) bool {
	_, pieces := r.(*eventStream)
	return pieces
}

type eventStream struct {
	events  *sseReader
	onEvent func()
	plain   plainChunk
	pending []Chunk // of an event that held several
	done    bool    // the end mark stood in that event too
}

func (s *eventStream) Next() (Chunk, error) {
	for len(s.pending) == 0 {
		if s.done {
			return Chunk{}, ErrDone
		}
		data, some, err := s.events.Next()
		if err != nil {
			return Chunk{}, err
		}
		data = bytes.TrimSpace(data)
		if !some || len(data) == 0 || bytes.Equal(data, []byte("null")) {
			continue
		}
		s.onEvent()
		if bytes.Equal(data, doneMark) {
			return Chunk{}, ErrDone
		}
		if c, plain := s.plain.read(data); plain {
			normalise(&c)
			return c, nil
		}
		if s.pending, s.done, err = decodeEvent(data); err != nil {
			return Chunk{}, err
		}
	}
	c := s.pending[0]
	s.pending = s.pending[1:]
	normalise(&c)
	return c, nil
}

var doneMark = []byte("[DONE]")

// decodeEvent reads the one chunk of an event, or the several that a server
// wrote as lines of one event, with the end mark among them.
func decodeEvent(data []byte) (list []Chunk, done bool, err error) {
	c, err := decodeChunk(data)
	if err == nil {
		return []Chunk{c}, false, nil
	}
	lines := bytes.Split(data, []byte("\n"))
	if syntax := (*json.SyntaxError)(nil); len(lines) == 1 || !errors.As(err, &syntax) {
		return nil, false, err
	}
	for _, line := range lines {
		if line = bytes.TrimSpace(line); bytes.Equal(line, doneMark) {
			return list, true, nil
		}
		if len(line) == 0 {
			continue
		}
		if c, err = decodeChunk(line); err != nil {
			return nil, false, err
		}
		list = append(list, c)
	}
	return list, false, nil
}

// decodeChunk reads a chunk. An object that is none and has an error's fields
// is an error without its wrapping.
func decodeChunk(data []byte) (Chunk, error) {
	var c Chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return c, Garbled(err, data)
	}
	if c.Choices == nil && c.Usage == nil && !isError(c.Error) {
		if e := parseError(data); e.Text != "" {
			return c, bodyFailure(data)
		}
	}
	return c, nil
}

// Garbled is the failure of a body that cannot be read.
func Garbled(err error, data []byte) error {
	return &Failure{
		Retryable: true, Said: "sent something that is not an answer",
		Err: fmt.Errorf("%w in %s", err, excerpt(data)), Part: partOf(data),
	}
}

// partOf is the part of an answer that is in a broken body: a server that has
// begun to write one has made it.
func partOf(body []byte) string {
	_, part, found := bytes.Cut(body, []byte(`"choices"`))
	if !found {
		return ""
	}
	return strings.TrimLeft(string(part), " :")
}

type wholeAnswer struct {
	chunk Chunk
	read  bool
}

func readWhole(r io.Reader, onEvent func()) (Reader, error) {
	body, err := io.ReadAll(io.LimitReader(r, maxAnswer))
	if err != nil {
		f := ReadFailure(err)
		f.Part = partOf(body)
		return nil, f
	}
	onEvent()
	body = bytes.TrimSpace(body)
	if list := []json.RawMessage(nil); body[0] == '[' && json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0] // one provider wraps its errors in a list
	}
	var w wholeAnswer
	if err := json.Unmarshal(body, &w.chunk); err != nil {
		return nil, Garbled(err, body)
	}
	if len(w.chunk.Choices) == 0 && !isError(w.chunk.Error) {
		return nil, bodyFailure(body)
	}
	return &w, nil
}

func (w *wholeAnswer) Next() (Chunk, error) {
	if w.read {
		return Chunk{}, ErrDone
	}
	w.read = true
	normalise(&w.chunk)
	return w.chunk, nil
}
