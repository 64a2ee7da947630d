package imports

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"fusebox/agent"
	"fusebox/agent/documents"
)

// Store is the queue in the database, and knows which document each path has become.
type Store interface {
	// BeginImport takes the import that waits longest, of people other than these, and counts
	// the try; NotFound where none waits.
	BeginImport(ctx context.Context, except []string) (agent.Import, error)
	// SaveImport keeps how far an import is.
	SaveImport(ctx context.Context, in agent.Import) error
	// ImportedAs says what would become of a file with this SHA-256, in hex. Where another path of an import of the
	// same name has become the document with these bytes, that is moved.
	ImportedAs(ctx context.Context, in agent.Import, path, hash string) (as agent.ImportOutcome, moved string, err error)
	// MoveSource has the document of one path be that of another.
	MoveSource(ctx context.Context, in agent.Import, from, to string) error
	// ImportedPaths are all paths of imports of the same name that have become documents.
	ImportedPaths(ctx context.Context, in agent.Import) ([]string, error)
}

// Library makes documents.
type Library interface {
	// AddImported takes a file in, and notes in the import what has become of it.
	AddImported(ctx context.Context, in agent.Import, path, name string, content io.Reader) (agent.Import, error)
	// Sweep removes files that nobody needs any more, those of imports that have ended too.
	Sweep(ctx context.Context) error
}

// Web fetches pages.
type Web interface {
	Download(ctx context.Context, address string, take func(name string, content io.Reader) error) error
}

// Queue unpacks what was imported, a few imports at a time and one of each person.
type Queue struct {
	Store   Store
	Shelf   *documents.Shelf
	Library Library
	Web     Web
	Clock   agent.Clock
	Log     *slog.Logger

	wake chan struct{}
	once sync.Once

	mu   sync.Mutex
	busy []string // people whose imports are being unpacked
}

const (
	// parallel is how many imports are unpacked at the same time.
	parallel = 2
	// idle is how long the queue waits before it looks again without having been woken: after
	// a fault, or where the command line has added something.
	idle = 10 * time.Second
)

func (q *Queue) woken() chan struct{} {
	q.once.Do(func() { q.wake = make(chan struct{}, parallel) })
	return q.wake
}

// Wake says that something may wait. It never blocks.
func (q *Queue) Wake() {
	select {
	case q.woken() <- struct{}{}:
	default:
	}
}

// Run unpacks until ctx ends.
func (q *Queue) Run(ctx context.Context) {
	var all sync.WaitGroup
	for range parallel {
		all.Go(func() {
			for ctx.Err() == nil {
				if q.next(ctx) {
					continue
				}
				select {
				case <-ctx.Done():
				case <-q.woken():
				case <-q.Clock.After(idle):
				}
			}
		})
	}
	all.Wait()
}

// next unpacks an import, and reports whether another one may be begun at once.
func (q *Queue) next(ctx context.Context) bool {
	in, err := q.begin(ctx)
	if err != nil {
		if agent.CodeOf(err) != agent.NotFound && ctx.Err() == nil {
			q.Log.Error("beginning an import failed", "error", err)
		}
		return false
	}
	defer q.end(in.UserID)
	if err := q.unpack(ctx, in); err != nil && ctx.Err() == nil {
		q.Log.Error("an import waits, and is tried again", "import_id", in.ID, "error", err)
		return false
	}
	return true
}

func (q *Queue) begin(ctx context.Context) (agent.Import, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	in, err := q.Store.BeginImport(ctx, q.busy)
	if err == nil {
		q.busy = append(q.busy, in.UserID)
	}
	return in, err
}

func (q *Queue) end(userID string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy = slices.DeleteFunc(q.busy, func(id string) bool { return id == userID })
}
