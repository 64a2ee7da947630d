package tools

import "sync"

// maxShown bounds how much of a call's shown output is kept, in bytes.
const maxShown = 4 << 10

// shown passes on a call's output while it runs, and keeps the last part of it. A tool that
// returns late can no longer show output once its call has a result.
type shown struct {
	pass func(string) // nil without a listener

	mu     sync.Mutex
	closed bool
	tail   []byte
}

func (s *shown) show(chunk string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.tail = append(s.tail, chunk...)
	if over := len(s.tail) - maxShown; over > 0 {
		s.tail = append(s.tail[:0], s.tail[over:]...)
	}
	if s.pass != nil {
		s.pass(chunk)
	}
}

func (s *shown) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

// text is the end of what was shown.
func (s *shown) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.tail)
}
