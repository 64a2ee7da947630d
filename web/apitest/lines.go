package apitest

import (
	"bytes"
	"io"
)

// lines is a body of which each line is checked as it passes.
type lines struct {
	body  io.ReadCloser
	check func(line []byte) error
	open  []byte // the line that has begun
}

func (l *lines) Read(p []byte) (int, error) {
	n, err := l.body.Read(p)
	l.open = append(l.open, p[:n]...)
	for {
		line, rest, whole := bytes.Cut(l.open, []byte("\n"))
		if !whole {
			return n, err
		}
		if len(line) > 0 { // an empty one is a sign of life
			if bad := l.check(line); bad != nil {
				return n, bad
			}
		}
		l.open = rest
	}
}

func (l *lines) Close() error { return l.body.Close() }
