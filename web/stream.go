package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// maxUserStreams bounds how many streams one account may have open, and
// streamCheck how long one goes on after a right ended that nobody told of.
const (
	maxUserStreams = 256
	streamCheck    = 25 * time.Second
)

// errRightsEnded ends a stream whose viewer may not read any more.
var errRightsEnded = errors.New("the right to read has ended")

// stream is a reader that outlives an ordinary request: a socket or a live
// event log. Both are opened here, so that neither lacks a check of the other.
type stream struct {
	viewer agent.Viewer
	by     credential
	end    context.CancelCauseFunc
}

// openStream registers a reader for the viewer of a request. The context ends
// when his right to read does; release is to be called when he has left.
func (s *streams) openStream(c echo.Context) (ctx context.Context, release func(), err error) {
	ctx, end := context.WithCancelCause(c.Request().Context())
	k := &stream{viewer: viewerOf(c), by: credentialOf(c), end: end}
	if !s.add(k) {
		end(nil)
		return nil, nil, &badRequest{http.StatusTooManyRequests, agent.Errorf(agent.Invalid, "Too many open pages and event logs. Close some.")}
	}
	release = func() {
		s.remove(k)
		end(nil)
	}
	// Rights that end from here on find the stream registered. Those that ended
	// since the request was let in did not, so they are looked at once more.
	if err := s.checkRights(k); err != nil {
		release()
		return nil, nil, err
	}
	go s.keepChecking(ctx, k)
	return ctx, release, nil
}

// keepChecking catches what no event tells of: a session that is over, or a
// right that another process took away.
func (s *streams) keepChecking(ctx context.Context, k *stream) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.Clock.After(streamCheck):
			// Where it cannot be known, the reader ends too: he comes back.
			if s.checkRights(k) != nil {
				k.end(errRightsEnded)
				return
			}
		}
	}
}

// checkRights asks again what was asked when the stream was opened.
// Unauthorized where the answer has changed.
func (s *streams) checkRights(k *stream) error {
	return caught(s.Logger, "stream", func() error {
		u, _, err := s.holder(s.Closing, k.by)
		if err == nil && (u == nil || u.Disabled || u.ID != k.viewer.UserID || u.Role != k.viewer.Role) {
			err = errSignIn
		}
		return err
	})
}

// streamSet knows the open streams, so that they end with the right to them.
type streamSet struct {
	mu  sync.Mutex
	all map[*stream]struct{}
}

// add registers a stream; false where its viewer has too many.
func (x *streamSet) add(k *stream) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := 0
	for other := range x.all {
		if other.viewer.UserID == k.viewer.UserID {
			n++
		}
	}
	if n >= maxUserStreams {
		return false
	}
	x.all[k] = struct{}{}
	return true
}

func (x *streamSet) remove(k *stream) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.all, k)
}

// endUser ends all streams of an account whose rights have changed.
func (x *streamSet) endUser(userID string) {
	x.endIf(func(k *stream) bool { return k.viewer.UserID == userID })
}

// endSession ends the streams that were opened with a session.
func (x *streamSet) endSession(token string) {
	if token != "" {
		x.endIf(func(k *stream) bool { return k.by.session == token })
	}
}

// endViewers ends the streams of some viewers.
func (x *streamSet) endViewers(match func(agent.Viewer) bool) {
	x.endIf(func(k *stream) bool { return match(k.viewer) })
}

func (x *streamSet) endIf(match func(*stream) bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for k := range x.all {
		if match(k) {
			k.end(errRightsEnded) // does not wait: the stream notices by its context
		}
	}
}

// streams are the readers that outlive an ordinary request.
type streams struct {
	Clock   agent.Clock
	Closing context.Context
	Logger  *slog.Logger
	holder  func(ctx context.Context, by credential) (*agent.User, string, error)
	*streamSet
}

// newStreams makes an empty set of readers. holder finds out for whom a
// credential stands now.
func newStreams(clock agent.Clock, log *slog.Logger, closing context.Context, holder func(context.Context, credential) (*agent.User, string, error)) *streams {
	return &streams{Clock: clock, Logger: log, Closing: closing, holder: holder, streamSet: &streamSet{all: map[*stream]struct{}{}}}
}
