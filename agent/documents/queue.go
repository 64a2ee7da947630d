package documents

import (
	"context"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"fusebox/agent"
	"fusebox/agent/passages"
)

// Store is the queue in the database.
type Store interface {
	// BeginReading takes the version that waits longest, besides those that are being read,
	// and counts the try; NotFound where none waits.
	BeginReading(ctx context.Context, except []string) (agent.Document, error)
	// UncountTry takes a try back.
	UncountTry(ctx context.Context, d agent.Document) error
	// FinishReading keeps what was read and its passages; NotFound where the document is gone.
	FinishReading(ctx context.Context, d agent.Document, cut []agent.Passage) error
}

// Reader reads the file of a document, with a password where it needs one. An error says that it could not even try.
type Reader interface {
	Read(ctx context.Context, d agent.Document, password string, file *os.File) (agent.Reading, error)
}

// Queue has what was uploaded read.
type Queue struct {
	Store  Store
	Shelf  *Shelf
	Reader Reader
	// Parallel is how many files are read at the same time.
	Parallel int
	// OnRead is called when a document has been read; nil is not.
	OnRead func()
	Clock  agent.Clock
	Log    *slog.Logger

	wake chan struct{}
	once sync.Once

	locked    sync.Mutex
	passwords map[string]string    // of documents that wait to be read with one
	since     map[string]time.Time // when documents that are being read were begun
}

// idle is how long the queue waits before it looks again without having been woken:
// after a fault, or where another process has added something.
const idle = 30 * time.Second

func (q *Queue) woken() chan struct{} {
	q.once.Do(func() { q.wake = make(chan struct{}, 1) })
	return q.wake
}

// Wake says that something may wait. It never blocks.
func (q *Queue) Wake() {
	select {
	case q.woken() <- struct{}{}:
	default:
	}
}

// Unlock has a document wait to be read with a password, by again. It is kept in memory only, and until
// that has been done; after a restart it is not known.
func (q *Queue) Unlock(id, password string, again func() error) error {
	q.locked.Lock()
	defer q.locked.Unlock()
	err := again()
	if err == nil && password != "" {
		if q.passwords == nil {
			q.passwords = map[string]string{}
		}
		q.passwords[id] = password
	}
	return err
}

func (q *Queue) password(id string) string {
	q.locked.Lock()
	defer q.locked.Unlock()
	return q.passwords[id]
}

// Forget forgets the password of a document.
func (q *Queue) Forget(id string) {
	q.locked.Lock()
	defer q.locked.Unlock()
	delete(q.passwords, id)
}

// Reading are the documents that are being read, and since when.
func (q *Queue) Reading() map[string]time.Time {
	q.locked.Lock()
	defer q.locked.Unlock()
	return maps.Clone(q.since)
}

func (q *Queue) begun(id string) {
	q.locked.Lock()
	defer q.locked.Unlock()
	if q.since == nil {
		q.since = map[string]time.Time{}
	}
	q.since[id] = agent.Stamp(q.Clock)
}

func (q *Queue) ended(id string) {
	q.locked.Lock()
	defer q.locked.Unlock()
	delete(q.since, id)
}

// Run reads until ctx ends, and returns once no reader is left.
func (q *Queue) Run(ctx context.Context) {
	var busy []string
	var readers sync.WaitGroup
	defer readers.Wait()
	done := make(chan string)
	again := time.NewTimer(idle)
	defer again.Stop()
	for {
		for len(busy) < q.Parallel {
			d, err := q.Store.BeginReading(ctx, busy)
			if err != nil {
				if agent.CodeOf(err) != agent.NotFound && ctx.Err() == nil {
					q.Log.Error("taking a document out of the queue failed", "error", err)
				}
				break
			}
			busy = append(busy, d.ID)
			q.begun(d.ID)
			readers.Go(func() {
				q.read(ctx, d)
				q.ended(d.ID)
				select {
				case done <- d.ID:
				case <-ctx.Done():
				}
			})
		}
		again.Reset(idle)
		select {
		case id := <-done:
			busy = slices.DeleteFunc(busy, func(b string) bool { return b == id })
		case <-q.woken():
		case <-again.C:
		case <-ctx.Done():
			return
		}
	}
}

// read reads one document and keeps what came out. What keeps it from that, and is not the
// file's fault, takes the try back.
func (q *Queue) read(ctx context.Context, d agent.Document) {
	d.Reading = q.reading(ctx, d)
	if d.Reading.Problem == agent.ProblemStopped && d.Tries < agent.MaxReadTries && ctx.Err() == nil {
		q.Log.Warn("reading a document was stopped, it is tried again", "document_id", d.ID, "tries", d.Tries)
		return
	}
	if d.State = agent.DocumentReady; d.Reading.Problem != "" {
		d.State = agent.DocumentFailed
	}
	err := ctx.Err()
	if err == nil {
		err = q.Store.FinishReading(ctx, d, passages.Cut(&d.Reading))
	}
	switch {
	case agent.CodeOf(err) == agent.NotFound: // it was deleted meanwhile
		q.Forget(d.ID)
	case err == nil:
		q.Forget(d.ID)
		if q.OnRead != nil {
			q.OnRead()
		}
		q.Log.Info("document read", "document_id", d.ID, "version", d.Version, "type", d.Reading.Type, "problem", d.Reading.Problem, "bytes", d.Bytes)
	default:
		q.putBack(ctx, d, err)
	}
}

// putBack takes a try back, and leaves the database some time where it was its fault: its disk
// may be full, and a document is not to blame for that, however long it takes.
func (q *Queue) putBack(ctx context.Context, d agent.Document, cause error) {
	if ctx.Err() == nil {
		q.Log.Error("keeping what was read of a document failed", "document_id", d.ID, "error", cause)
	}
	pause := time.NewTicker(idle)
	defer pause.Stop()
	for counted := true; counted; {
		if err := q.Store.UncountTry(context.WithoutCancel(ctx), d); err != nil {
			q.Log.Warn("taking back the try of a document failed", "document_id", d.ID, "error", err)
		} else {
			counted = false
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			return
		}
	}
}

func (q *Queue) reading(ctx context.Context, d agent.Document) agent.Reading {
	if d.Tries > agent.MaxReadTries {
		return agent.Reading{Problem: agent.ProblemStopped}
	}
	f, err := q.Shelf.Open(d.File)
	if err != nil {
		q.Log.Error("opening the file of a document failed", "document_id", d.ID, "error", err)
		return agent.Reading{Problem: agent.ProblemLost}
	}
	defer func() { _ = f.Close() }()
	reading, err := q.Reader.Read(ctx, d, q.password(d.ID), f)
	if err != nil && ctx.Err() == nil {
		q.Log.Error("reading a document failed", "document_id", d.ID, "error", err)
		return agent.Reading{Problem: agent.ProblemStopped}
	}
	return reading
}
