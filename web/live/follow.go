package live

import (
	"context"
	"errors"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/hub"
	"fusebox/web/present"
	"fusebox/web/request"
)

// errFellBehind ends a reader that was too slow; it comes back with after=.
var errFellBehind = errors.New("the reader fell behind")

// beatEvery is how long a log stays silent at most: proxies cut connections that are,
// some after half a minute.
const beatEvery = 10 * time.Second

// replayPage is how many events one query of a replay reads.
const replayPage = 500

// EventLog is where readers of conversations take events from.
type EventLog struct {
	Hub     *hub.Hub
	Store   service.ConversationStore
	Closing context.Context
	Clock   agent.Clock
}

// Reader follows the log of a conversation from behind a sequence number on;
// TokensOnly hands events out without what is money.
func (l *EventLog) Reader(conversationID string, after int64, tokensOnly bool) *reader {
	return &reader{s: l, conv: conversationID, seq: after, tokensOnly: tokensOnly}
}

// reader follows the log of one conversation from a sequence number on:
// nothing lost, nothing twice, in order.
type reader struct {
	s    *EventLog
	conv string
	seq  int64 // the last event that was handed out
	// TokensOnly hands events out without what is money.
	tokensOnly bool
	// classic, if set, translates events for clients that know only the classic types.
	classic *present.Classic
	// look, if set, checks for changes that no event reports, whenever due says so;
	// a nil due never does.
	due  func() <-chan time.Time
	look func() error
	// Beat, where it is set, is called from time to time, so that a reader hears of a
	// log in which nothing happens.
	Beat func() error
}

func (r *reader) beatAt() <-chan time.Time {
	if r.Beat == nil {
		return nil
	}
	return r.s.Clock.After(beatEvery)
}

func (r *reader) lookAt() <-chan time.Time {
	if r.due == nil {
		return nil
	}
	return r.due()
}

// Follow hands events to emit until the log ends (follow false), ctx ends or
// emit fails. It subscribes first, then replays from the store, then drops
// what it has: whatever is committed in between comes by both ways.
func (r *reader) Follow(ctx context.Context, live bool, emit func([]agent.Event) error) error {
	sub := r.s.Hub.Subscribe(r.conv)
	defer sub.Close()
	if err := r.recall(ctx); err != nil {
		return err
	}
	if err := r.replay(ctx, emit); err != nil || !live {
		return err
	}
	beat := r.beatAt()
	for {
		select {
		case <-beat:
			if err := r.Beat(); err != nil {
				return err
			}
			beat = r.beatAt()
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-r.s.Closing.Done():
			return nil
		case <-r.lookAt():
			if err := r.look(); err != nil {
				return err
			}
		case <-sub.C:
			events, open := sub.Take()
			if err := r.take(ctx, events, emit); err != nil {
				return err
			}
			if !open {
				return errFellBehind
			}
		}
	}
}

// replay reads the store up to its end.
func (r *reader) replay(ctx context.Context, emit func([]agent.Event) error) error {
	for {
		events, err := r.s.Store.Events(ctx, r.conv, r.seq, replayPage)
		if err != nil || len(events) == 0 {
			return err
		}
		if err := r.hand(ctx, events, emit); err != nil {
			return err
		}
	}
}

// take drops what was handed out already. A hole, which should not be among live
// events, is filled from the store.
func (r *reader) take(ctx context.Context, events []agent.Event, emit func([]agent.Event) error) error {
	for len(events) > 0 && events[0].Seq <= r.seq {
		events = events[1:]
	}
	if len(events) == 0 {
		return nil
	}
	if events[len(events)-1].Seq != r.seq+int64(len(events)) {
		return r.replay(ctx, emit)
	}
	return r.hand(ctx, events, emit)
}

func (r *reader) hand(ctx context.Context, events []agent.Event, emit func([]agent.Event) error) error {
	shown, err := r.s.Store.CitedNow(ctx, r.conv, events)
	if err != nil {
		return err
	}
	if r.tokensOnly {
		shown = present.EventsWithoutMoney(shown)
	}
	if r.classic != nil {
		shown = r.classic.Apply(shown)
	}
	if len(shown) > 0 {
		if err := emit(shown); err != nil {
			return err
		}
	}
	r.seq = events[len(events)-1].Seq
	return nil
}

// UseCompat makes the reader translate the log where a request has ?compat=1.
func (r *reader) UseCompat(c echo.Context) error {
	asked := c.QueryParam("compat")
	if err := request.OneOf("compat", asked, "0", "1"); err != nil {
		return err
	}
	if asked == "1" {
		r.classic = present.NewClassic()
	}
	return nil
}

// recall replays the step that the reader is in from its beginning, so that the translation
// knows what the client already has of it.
func (r *reader) recall(ctx context.Context) error {
	if r.classic == nil || r.seq == 0 {
		return nil
	}
	at, err := r.s.Store.StepBefore(ctx, r.conv, r.seq+1)
	if err != nil {
		return err
	}
	for at <= r.seq {
		events, err := r.s.Store.Events(ctx, r.conv, at-1, replayPage)
		if err != nil || len(events) == 0 {
			return err
		}
		at = events[len(events)-1].Seq + 1
		for len(events) > 0 && events[len(events)-1].Seq > r.seq {
			events = events[:len(events)-1]
		}
		r.classic.Apply(events)
	}
	return nil
}
