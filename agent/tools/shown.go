package tools

import "sync"

// maxShown bounds what is kept of what a call has shown, in bytes.
const maxShown = 4 << 10

// shown passes on what a call puts out while it runs, and keeps the end of it. A tool that
// comes back late shows no output of a call that has its result already.
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
