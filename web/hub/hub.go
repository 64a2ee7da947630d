// Package hub hands committed events to those who read along: one subscription
// per reader, each with a bounded buffer. Publishing never waits: a reader
// whose buffer is full is let go of, and comes back to replay from the store.
//
// It imports agent only.
package hub

import (
	"slices"
	"sync"

	"fusebox/agent"
)

// Hub is safe for concurrent use.
type Hub struct {
	buffer int

	mu     sync.Mutex
	closed bool
	byConv map[string]map[*Subscription]struct{}
	cards  map[*Subscription]struct{}
}

// New makes a Hub whose readers may lag behind by buffer batches.
func New(buffer int) *Hub {
	return &Hub{
		buffer: buffer,
		byConv: map[string]map[*Subscription]struct{}{},
		cards:  map[*Subscription]struct{}{},
	}
}

// Subscription is one reader. C says that there is something to take; it is the
// last time when the reader was too slow, after Close, and when the hub closes.
// What nobody has taken yet is kept, so that an idle reader costs next to nothing.
type Subscription struct {
	C <-chan struct{}

	c       chan struct{}
	hub     *Hub
	conv    string          // "" reads the approvals of all conversations
	waiting [][]agent.Event // guarded by hub.mu, as is gone
	gone    bool
}

// Take returns what has come, in order; open is false where nothing comes any
// more.
func (s *Subscription) Take() (events []agent.Event, open bool) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	switch len(s.waiting) {
	case 0:
	case 1:
		events = s.waiting[0]
	default:
		events = slices.Concat(s.waiting...)
	}
	clear(s.waiting)
	s.waiting = s.waiting[:0]
	return events, !s.gone
}

// stir wakes the reader, which may be awake already.
func (s *Subscription) stir() {
	select {
	case s.c <- struct{}{}:
	default:
	}
}

// SubscribeApprovals reads the approval events of all conversations.
func (h *Hub) SubscribeApprovals() *Subscription { return h.Subscribe("") }

// Subscribe reads the events of one conversation.
func (h *Hub) Subscribe(conv string) *Subscription {
	c := make(chan struct{}, 1)
	s := &Subscription{C: c, c: c, hub: h, conv: conv}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		s.gone = true
		s.stir()
	case conv == "":
		h.cards[s] = struct{}{}
	default:
		if h.byConv[conv] == nil {
			h.byConv[conv] = map[*Subscription]struct{}{}
		}
		h.byConv[conv][s] = struct{}{}
	}
	return s
}

// Publish hands committed events to their readers. Events of a conversation
// must come in the order of their numbers.
func (h *Hub) Publish(events []agent.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for len(events) > 0 {
		n := 1
		for n < len(events) && events[n].ConversationID == events[0].ConversationID {
			n++
		}
		h.publish(events[:n:n])
		events = events[n:]
	}
}

// publish hands out events of one conversation.
func (h *Hub) publish(events []agent.Event) {
	for s := range h.byConv[events[0].ConversationID] {
		h.send(s, events)
	}
	if len(h.cards) == 0 {
		return
	}
	if cards := approvalsOf(events); len(cards) > 0 {
		for s := range h.cards {
			h.send(s, cards)
		}
	}
}

func approvalsOf(events []agent.Event) []agent.Event {
	var cards []agent.Event
	for _, e := range events {
		switch e.Data.(type) {
		case agent.ApprovalRequestedEvent, agent.ApprovalDecidedEvent:
			cards = append(cards, e)
		}
	}
	return cards
}

func (h *Hub) send(s *Subscription, events []agent.Event) {
	if len(s.waiting) == h.buffer {
		h.remove(s)
		return
	}
	s.waiting = append(s.waiting, events)
	s.stir()
}

// remove needs h.mu.
func (h *Hub) remove(s *Subscription) {
	if s.gone {
		return
	}
	s.gone = true
	s.stir()
	delete(h.cards, s)
	delete(h.byConv[s.conv], s)
	if len(h.byConv[s.conv]) == 0 {
		delete(h.byConv, s.conv)
	}
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.hub.remove(s)
}

// Close ends all subscriptions, and those that come later.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for s := range h.cards {
		h.remove(s)
	}
	for _, readers := range h.byConv {
		for s := range readers {
			h.remove(s)
		}
	}
}
