package tools

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	// maxSpool bounds what is kept of one command's output in its file.
	maxSpool = 8 << 20
	// progressFrame and maxProgress bound how often and how much live output is shown.
	progressFrame = 50 * time.Millisecond
	maxProgress   = 256 << 10
)

// spool takes a command's output as it comes: all of it into a file up to a
// bound, head and tail of it in memory, pieces of it to watchers.
type spool struct {
	file     *os.File
	where    string
	limit    int
	progress func(string)

	mu     sync.Mutex
	head   []byte
	tail   []byte
	total  int
	live   []byte
	shown  int
	sent   time.Time
	due    *time.Timer // shows what came too soon after the last piece
	broken bool        // the file takes no more; the output continues without it
	closed bool
}

// Write implements io.Writer. It never fails: a full disk must not end the command.
func (s *spool) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if room := maxSpool - s.total; room > 0 && !s.broken {
		_, err := s.file.Write(p[:min(room, len(p))])
		s.broken = err != nil
	}
	s.total += len(p)
	s.remember(p)
	s.live = append(s.live, p[:min(len(p), max(maxProgress-s.shown-len(s.live), 0))]...)
	if wait := progressFrame - time.Since(s.sent); wait <= 0 {
		s.show()
	} else if s.due == nil {
		s.due = time.AfterFunc(wait, s.showDue)
	}
	return len(p), nil
}

// showDue shows what waits when the command is silent after it: else its last
// words would stay unseen until its next ones.
func (s *spool) showDue() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due = nil
	if !s.closed {
		s.show()
	}
}

// remember keeps the first two thirds of the limit and the last third.
func (s *spool) remember(p []byte) {
	if room := s.limit*2/3 - len(s.head); room > 0 {
		n := min(room, len(p))
		s.head = append(s.head, p[:n]...)
		p = p[n:]
	}
	s.tail = append(s.tail, p...)
	if keep := s.limit / 3; len(s.tail) > 2*keep {
		s.tail = append(s.tail[:0], s.tail[len(s.tail)-keep:]...)
	}
}

// show passes on whole characters; half of one waits for its rest.
func (s *spool) show() {
	whole := wholeRunes(s.live)
	if len(whole) == 0 {
		return
	}
	s.progress(strings.ToValidUTF8(string(whole), "\uFFFD"))
	s.shown += len(whole)
	s.live = append([]byte(nil), s.live[len(whole):]...)
	s.sent = time.Now()
}

// close returns the output, or its head and tail where it is too long. The
// file is kept only if it contains more than that.
func (s *spool) close() (text string, truncated bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.due != nil {
		s.due.Stop()
	}
	s.show()
	closeErr := s.file.Close()
	if s.total <= len(s.head)+len(s.tail) {
		_ = os.Remove(s.file.Name()) // a leftover file does no harm
		return strings.ToValidUTF8(string(s.head)+string(s.tail), "\uFFFD"), false
	}
	where := s.where
	if closeErr != nil || s.broken {
		where = ""
	}
	tail := s.tail[max(len(s.tail)-s.limit/3, 0):]
	mark := cutMark(s.total-len(s.head)-len(tail), where)
	if where != "" && s.total > maxSpool {
		mark = fmt.Sprintf("\n[… %d bytes left out; the first %d are kept in %s; fetch_output reads them by part …]\n", s.total-len(s.head)-len(tail), maxSpool, where)
	}
	text = string(s.head) + mark + string(tail)
	return strings.ToValidUTF8(text, "\uFFFD"), true
}
