package live

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// MaxUserStreams bounds how many streams one account may have open, and
// streamCheck how long one goes on after a right ended unnoticed.
const (
	MaxUserStreams = 256
	streamCheck    = 25 * time.Second
)

// errRightsEnded ends a stream whose viewer may not read any more.
var errRightsEnded = errors.New("the right to read has ended")

// ErrStopping refuses readers that come back while the server stops.
var ErrStopping = agent.Errorf(agent.Unavailable, "The server is stopping. Try again in a few seconds.")

// stream is a reader that outlives an ordinary request: a socket or a live
// event log. Both are opened here, so that neither lacks a check of the other.
type stream struct {
	viewer       agent.Viewer
	by           request.Credential
	conversation string // "" for the inbox
	end          context.CancelCauseFunc
}

// OpenStream registers a reader for the viewer of a request. The context is a part of
// the given one and ends when their right to read does; release is to be called when
// they have left. Unavailable while the server is stopping.
func (s *Streams) OpenStream(within context.Context, c echo.Context) (ctx context.Context, release func(), err error) {
	if s.Closing.Err() != nil {
		return nil, nil, ErrStopping
	}
	ctx, end := context.WithCancelCause(within)
	k := &stream{viewer: request.Viewer(c), by: request.CredentialOf(c), conversation: c.Param("id"), end: end}
	if !s.add(k) {
		end(nil)
		return nil, nil, &request.BadRequest{Status: http.StatusTooManyRequests, Err: agent.Errorf(agent.Invalid, "Too many open pages and event logs. Close some.")}
	}
	release = func() {
		s.remove(k)
		end(nil)
	}
	// Rights that end from here on find the stream registered. Those that ended
	// since the request was let in did not, so they are looked at once more.
	if err := s.checkRights(k); err != nil {
		release()
		if s.Closing.Err() != nil { // it has ended the question
			err = ErrStopping
		}
		return nil, nil, err
	}
	return ctx, release, nil
}

// keepChecking catches what no event announces: a session that is over, or a
// right that another process took away. It looks at all streams together.
func (s *Streams) keepChecking(next time.Time) {
	for s.waitUntil(next) {
		// Who comes from here on is looked at by then.
		next = s.Clock.Now().Add(streamCheck)
		for _, k := range s.list() {
			// Where it cannot be known, the reader ends too: it comes back.
			if s.checkRights(k) != nil {
				k.end(errRightsEnded)
			}
		}
	}
}

// waitUntil waits for a time; false where the server closes before it.
func (s *Streams) waitUntil(t time.Time) bool {
	due := s.Clock.After(t.Sub(s.Clock.Now()))
	if !s.Clock.Now().Before(t) { // it has come while the wait was prepared
		return s.Closing.Err() == nil
	}
	select {
	case <-s.Closing.Done():
		return false
	case <-due:
		return true
	}
}

// checkRights asks again what was asked when the stream was opened.
// Unauthorized where the answer has changed.
func (s *Streams) checkRights(k *stream) error {
	return request.Caught(s.Logger, "stream", func() error {
		u, _, err := s.holder(s.Closing, k.by)
		if err == nil && (u == nil || u.Disabled || u.ID != k.viewer.UserID || u.Role != k.viewer.Role) {
			err = request.ErrSignIn
		}
		return err
	})
}

// add registers a stream; false where its viewer has too many.
func (s *Streams) add(k *stream) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for other := range s.all {
		if other.viewer.UserID == k.viewer.UserID {
			n++
		}
	}
	if n >= MaxUserStreams {
		return false
	}
	s.all[k] = struct{}{}
	return true
}

func (s *Streams) list() []*stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.all))
}

func (s *Streams) remove(k *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, k)
}

// EndUser ends all streams of an account whose rights have changed.
func (s *Streams) EndUser(userID string) {
	s.endIf(func(k *stream) bool { return k.viewer.UserID == userID })
}

// EndSession ends the streams that were opened with a session.
func (s *Streams) EndSession(token string) {
	if token != "" {
		s.endIf(func(k *stream) bool { return k.by.Session == token })
	}
}

// EndConversation ends the streams of a conversation that was deleted.
func (s *Streams) EndConversation(id string) {
	s.endIf(func(k *stream) bool { return k.conversation == id })
}

// EndViewers ends the streams of some viewers.
func (s *Streams) EndViewers(match func(agent.Viewer) bool) {
	s.endIf(func(k *stream) bool { return match(k.viewer) })
}

func (s *Streams) endIf(match func(*stream) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k := range s.all {
		if match(k) {
			k.end(errRightsEnded) // does not wait: the stream notices by its context
		}
	}
}

// Streams are the readers that outlive an ordinary request. They are listed, so that each ends with the
// right to read.
type Streams struct {
	Clock   agent.Clock
	Closing context.Context
	Logger  *slog.Logger
	holder  func(ctx context.Context, by request.Credential) (*agent.User, string, error)

	mu  sync.Mutex
	all map[*stream]struct{}
}

// NewStreams makes an empty set of readers, whose rights are looked at until closing
// ends. holder finds out for whom a credential is now.
func NewStreams(closing context.Context, clock agent.Clock, log *slog.Logger, holder func(context.Context, request.Credential) (*agent.User, string, error)) *Streams {
	s := &Streams{Clock: clock, Logger: log, Closing: closing, holder: holder, all: map[*stream]struct{}{}}
	go s.keepChecking(clock.Now().Add(streamCheck))
	return s
}
