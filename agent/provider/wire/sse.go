package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxEvent bounds one event of a stream, maxAnswer a whole answer, and maxLead
// the white space before it, by which some servers keep a line alive.
const (
	maxEvent  = 16 << 20
	maxAnswer = 64 << 20
	maxLead   = 1 << 20
)

var errTooLong = errors.New("the answer is longer than this client reads")

// sseReader reads server-sent events as the standard says: lines may end in
// CR, LF or CRLF, comments and unknown fields are skipped, several data lines
// join. It differs in one point: an event that the end of the body cuts off
// before its blank line is delivered, because some servers never send that.
type sseReader struct {
	r      *bufio.Reader
	skipLF bool // the last line ended in CR; a LF that follows belongs to it
	line   []byte
	data   []byte
	read   int
}

// Next returns the next event's data and whether there was any; a comment or
// an event without data gives false, so that the caller sees signs of life.
// The data is valid until the next call.
func (s *sseReader) Next() (data []byte, some bool, err error) {
	s.data = s.data[:0]
	for hasData := false; ; {
		err := s.readLine()
		if errors.Is(err, errTooLong) {
			return nil, false, err
		}
		if len(s.line) == 0 {
			if hasData || err == nil {
				return s.data, hasData, nil
			}
			return nil, false, err
		}
		if s.line[0] == ':' && !hasData {
			return nil, false, nil
		}
		if value, isData := dataField(s.line); isData {
			if hasData {
				s.data = append(s.data, '\n')
			}
			s.data = append(s.data, value...)
			hasData = true
		}
		if len(s.data) > maxEvent {
			return nil, false, errTooLong
		}
	}
}

// dataField returns the value of a data line, without the one space after the colon.
func dataField(line []byte) ([]byte, bool) {
	rest, found := bytes.CutPrefix(line, []byte("data"))
	if !found || (len(rest) > 0 && rest[0] != ':') {
		return nil, false
	}
	if len(rest) == 0 {
		return nil, true
	}
	return bytes.TrimPrefix(rest[1:], []byte(" ")), true
}

// readLine puts the next line without its end into s.line. At the end of the
// body it returns io.EOF together with the rest. It never waits for the byte
// after a CR.
func (s *sseReader) readLine() error {
	s.line = s.line[:0]
	for {
		if _, err := s.r.Peek(1); err != nil {
			return err
		}
		buf, _ := s.r.Peek(s.r.Buffered())
		if s.skipLF {
			s.skipLF = false
			if buf[0] == '\n' {
				_, _ = s.r.Discard(1)
				continue
			}
		}
		end, size := lineEnd(buf)
		s.line = append(s.line, buf[:end]...)
		_, _ = s.r.Discard(end + size)
		if s.read += end + size; s.read > maxAnswer || len(s.line) > maxEvent {
			return errTooLong
		}
		if size > 0 {
			s.skipLF = buf[end] == '\r'
			return nil
		}
	}
}

// lineEnd finds the first CR or LF; size is 0 when there is none.
func lineEnd(buf []byte) (end, size int) {
	end = len(buf)
	if i := bytes.IndexByte(buf, '\n'); i >= 0 {
		end, size = i, 1
	}
	if i := bytes.IndexByte(buf[:end], '\r'); i >= 0 {
		end, size = i, 1
	}
	return end, size
}

var errNothing = errors.New("the answer is empty")

// firstByte skips a byte order mark and white space and returns, without
// taking it, the first byte of what the body really contains.
func firstByte(r *bufio.Reader) (byte, error) {
	if bom, _ := r.Peek(1); len(bom) == 1 && bom[0] == 0xEF {
		if bom, _ = r.Peek(3); bytes.Equal(bom, []byte("\xEF\xBB\xBF")) {
			_, _ = r.Discard(3)
		}
	}
	for skipped := 0; skipped < maxLead; skipped++ {
		b, err := r.ReadByte()
		if errors.Is(err, io.EOF) {
			return 0, errNothing
		}
		if err != nil {
			return 0, err
		}
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return b, r.UnreadByte()
		}
	}
	return 0, errTooLong
}
