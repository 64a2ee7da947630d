package web

import (
	"context"
	"strconv"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// htmlBatch is one message of a socket that feeds a page.
type htmlBatch struct {
	Seq       int64      `json:"seq"`
	Fragments []fragment `json:"fragments"`
}

// conversationSocket streams a conversation's log from ?after= on: events as
// they are, one message each, or with ?format=html the changes of its page.
func (s *Server) conversationSocket(c echo.Context) error {
	v := viewerOf(c)
	conv, err := s.Store.Conversation(c.Request().Context(), v, c.Param("id"))
	if err != nil {
		return err
	}
	after, err := afterOf(c)
	if err != nil {
		return err
	}
	var fold *presenter
	if c.QueryParam("format") == "html" {
		if fold, err = s.pageAt(c, *conv, after); err != nil {
			return err
		}
	}
	k, err := s.upgrade(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.Request().Context()))
	defer cancel()
	out := make(chan any)
	go func() {
		defer close(out)
		r := &reader{s: s, conv: conv.ID, seq: after}
		err := r.follow(ctx, true, func(events []agent.Event) error { return emit(ctx, out, fold, events) })
		if err != nil && ctx.Err() == nil {
			s.Logger.Debug("a reader of events ended", "conversation_id", conv.ID, "error", err)
		}
	}()
	s.serve(k, v, out)
	return nil
}

// emit passes events on in the form the socket asked for.
func emit(ctx context.Context, out chan<- any, fold *presenter, events []agent.Event) error {
	send := func(msg any) error {
		select {
		case out <- msg:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if fold != nil {
		batch := htmlBatch{Seq: events[len(events)-1].Seq, Fragments: []fragment{}}
		for _, e := range events {
			batch.Fragments = append(batch.Fragments, fold.Apply(e)...)
		}
		return send(batch)
	}
	for _, e := range events {
		if err := send(e); err != nil {
			return err
		}
	}
	return nil
}

// pageAt is the state of a page that has shown everything up to after.
func (s *Server) pageAt(c echo.Context, conv agent.Conversation, after int64) (*presenter, error) {
	events, err := s.Store.Transcript(c.Request().Context(), conv.ID)
	if err != nil {
		return nil, err
	}
	fold := s.newPresenter(viewerOf(c), conv)
	fold.Replay(events, after)
	return fold, nil
}

// afterOf reads ?after=, 0 where it is missing.
func afterOf(c echo.Context) (int64, error) {
	text := c.QueryParam("after")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, agent.InvalidField("after", "%q is no sequence number; pass the seq of the last event you have, or 0", text)
	}
	return n, nil
}
