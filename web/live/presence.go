package live

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/request"
)

// How long somebody counts as looking after the last sign of them, how often
// readers of the inbox notice that they have gone, and the bounds of noting a look
// beside a page.
const (
	lookingFor = 30 * time.Second
	lookEvery  = 2 * time.Second
	lookWrite  = 2 * time.Second
	lookWaits  = 32
)

// Presence knows who is looking at which approval.
type Presence struct {
	Store   service.ApprovalStore
	Clock   agent.Clock
	Closing context.Context
	Logger  *slog.Logger

	mu sync.Mutex
	// subs tell readers of the inbox in this process that somebody looks. It is
	// a hint: the store knows who is looking, and readers ask there.
	subs map[chan struct{}]struct{}
	// notes bounds the looks that are being written beside a page.
	notes chan struct{}
}

// NewPresence makes the presence of one process. Writes beside a page end with closing.
func NewPresence(closing context.Context, store service.ApprovalStore, clock agent.Clock, log *slog.Logger) *Presence {
	return &Presence{
		Store: store, Clock: clock, Logger: log, Closing: closing,
		subs: map[chan struct{}]struct{}{}, notes: make(chan struct{}, lookWaits),
	}
}

// join returns a channel that gets a hint, and what leaves.
func (s *Presence) join() (<-chan struct{}, func()) {
	c := make(chan struct{}, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subs[c] = struct{}{}
	return c, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.subs, c)
	}
}

// Stir hints at a change; a reader who has not taken the last hint needs no second one.
func (s *Presence) Stir() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.subs {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// NoteLook keeps that the viewer has seen an approval, beside the answer they
// wait for. It is advice: where too many are being written, it is left out.
func (s *Presence) NoteLook(v agent.Viewer, id string) {
	select {
	case s.notes <- struct{}{}:
	default:
		return
	}
	go func() {
		defer func() { <-s.notes }()
		ctx, cancel := context.WithTimeout(s.Closing, lookWrite)
		defer cancel()
		err := request.Caught(s.Logger, "look", func() error { return s.Store.NotePresence(ctx, v, id, false) })
		if err != nil {
			s.Logger.Debug("noting a look failed", "approval_id", id, "error", err)
			return
		}
		s.Stir()
	}()
}

// watcher is who is looking at an approval, as one viewer sees it.
type watcher struct {
	others []string
	// self is set where the viewer is one of them: then it is read.
	self bool
}

// Text says who else is looking; "" for nobody.
func (w watcher) Text(ctx context.Context) string {
	if len(w.others) == 0 {
		return ""
	}
	return text.T(ctx, "page.inbox.looking", len(w.others), present.InWords(text.In(ctx), w.others))
}

// Watchers are those who look right now, by approval.
func (s *Presence) Watchers(ctx context.Context, v agent.Viewer, ids []string) (map[string]watcher, error) {
	looks, err := s.Store.Presences(ctx, ids, s.Clock.Now().Add(-lookingFor))
	if err != nil {
		return nil, err
	}
	all := map[string]watcher{}
	for _, l := range looks {
		w := all[l.ApprovalID]
		if l.UserID == v.UserID {
			w.self = true
		} else {
			w.others = append(w.others, l.Email)
		}
		all[l.ApprovalID] = w
	}
	return all, nil
}
