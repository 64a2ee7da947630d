package eventlog

import (
	"context"
	"sync"
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// lanePace is how often the lane writes at most where several streams tell
// something: each write serves many of them. A stream that is alone never waits.
const lanePace = 4 * time.Millisecond

// Lane joins what streams tell, events without rows, into few writes. What comes
// while one is written goes with the next one. As in the writer, one of those who
// wait writes for all.
type Lane struct {
	db   *sqlite.DB
	turn chan struct{} // one token
	quit chan struct{} // closed when nobody is waited for any more
	// last is when the lane wrote, whose the run that it wrote for, "" for several.
	// They belong to whoever has the turn.
	last  time.Time
	whose string

	mu      sync.Mutex
	waiting []*telling
	closed  bool
}

// NewLane makes the lane of a database.
func NewLane(db *sqlite.DB) *Lane {
	l := &Lane{db: db, turn: make(chan struct{}, 1), quit: make(chan struct{})}
	l.turn <- struct{}{}
	return l
}

// OnlyTells reports whether a change of a run is events alone.
func OnlyTells(e agent.Change) bool {
	events := e.Events
	e.Events = nil
	return e.Epoch != 0 && len(events) > 0 && e.Empty()
}

// Append commits the events of a change.
func (l *Lane) Append(e agent.Change) ([]agent.Event, error) {
	for i := range e.Events {
		if err := e.Events[i].Encode(); err != nil {
			return nil, err
		}
	}
	t := &telling{change: e, done: make(chan struct{})}
	if !l.add(t) {
		return nil, sqlite.ErrClosed
	}
	for {
		select {
		case <-t.done:
			return t.told, t.err
		case <-l.turn:
			l.pace(t)
			l.commit(l.take())
			l.turn <- struct{}{}
		}
	}
}

func (l *Lane) add(t *telling) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.waiting = append(l.waiting, t)
	return true
}

// take empties the lane.
func (l *Lane) take() []*telling {
	l.mu.Lock()
	defer l.mu.Unlock()
	batch := l.waiting
	l.waiting = nil
	return batch
}

// pace lets more streams come together where the last write was of another one. It
// ends at once where the one that paces was served meanwhile.
func (l *Lane) pace(t *telling) {
	wait := lanePace - time.Since(l.last)
	if wait <= 0 || l.alone() {
		return
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.done:
	case <-l.quit:
	}
}

// alone reports whether only the run waits for which the lane wrote last.
func (l *Lane) alone() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting) == 1 && l.waiting[0].change.RunID == l.whose
}

// commit writes a batch and answers everyone.
func (l *Lane) commit(batch []*telling) {
	if len(batch) == 0 {
		return
	}
	err := l.db.Write(context.Background(), false, func(t *sqlite.Tx) error { return tell(t, batch) })
	l.last, l.whose = time.Now(), ""
	if len(batch) == 1 {
		l.whose = batch[0].change.RunID
	}
	for _, s := range batch {
		if s.err == nil {
			s.err = err
		}
		if s.err != nil {
			s.told = nil
		}
		close(s.done)
	}
}

// Close writes what waits and keeps the turn: who comes now is refused.
func (l *Lane) Close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	close(l.quit)
	<-l.turn
	l.commit(l.take())
}
