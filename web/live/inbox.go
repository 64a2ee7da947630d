package live

import (
	"context"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/hub"
	"fusebox/web/present"
	"fusebox/web/request"
)

// inboxPage is how many pending approvals a new reader of the inbox gets.
const inboxPage = 200

// Serve carries approval events of all conversations to reviewers: first
// those that are pending, then what comes; with ?format=html changes of the page.
func (s *Inbox) Serve(c echo.Context) error {
	v := request.Viewer(c)
	if c.QueryParam("format") == "html" {
		w := s.watchOf(c)
		return s.Sockets.feed(c, w.follow)
	}
	return s.Sockets.feed(c, func(ctx context.Context, send sender) error {
		hidden := s.Visibility.TokensOnly(v)
		return s.followInbox(ctx, v, func(e agent.Event) error {
			if hidden {
				e = present.WithoutMoney(e)
			}
			return send(inboxEvent{e.ConversationID, e})
		})
	})
}

// followInbox subscribes first and then sends what is pending: an approval
// that comes in between is sent twice rather than not at all.
func (s *Inbox) followInbox(ctx context.Context, v agent.Viewer, emit func(agent.Event) error) error {
	sub := s.Hub.SubscribeApprovals()
	defer sub.Close()
	pending, _, err := s.Store.Approvals(ctx, v, agent.ApprovalFilter{Status: agent.ApprovalPending}, agent.Page{Limit: inboxPage})
	if err != nil {
		return err
	}
	for _, a := range pending {
		asked := agent.Event{ConversationID: a.ConversationID, RunID: a.RunID, At: a.RequestedAt, Data: a.Requested()}
		if err := emit(asked); err != nil {
			return err
		}
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-sub.C:
			events, open := sub.Take()
			for _, e := range events {
				if err := emit(e); err != nil {
					return err
				}
			}
			if !open {
				return errFellBehind
			}
		}
	}
}

// inboxEvent adds the conversation to an event of the inbox, which has no
// order of its own: its seq is the conversation's.
type inboxEvent struct {
	conversationID string
	event          agent.Event
}

// MarshalJSON writes the event with its conversation.
func (e inboxEvent) MarshalJSON() ([]byte, error) {
	raw, err := e.event.MarshalJSON()
	if err != nil {
		return nil, err
	}
	// Ids are made by us and need no escaping.
	return append([]byte(`{"conversationId":"`+e.conversationID+`",`), raw[1:]...), nil
}

// Inbox serves the live inbox of reviewers.
type Inbox struct {
	Store      service.ApprovalStore
	Hub        *hub.Hub
	Sockets    *Sockets
	Visibility *request.Visibility
	Cards      *Cards
	Bell       *Bell
	Presence   *Presence
}
