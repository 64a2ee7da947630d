package hub

import (
	"testing"

	"fusebox/agent"
)

func text(conv string, seq int64) agent.Event {
	return agent.Event{ConversationID: conv, Seq: seq, Data: agent.TextDelta{ID: "m", Delta: "x"}}
}

// next waits for what comes next.
func next(s *Subscription) ([]agent.Event, bool) {
	<-s.C
	return s.Take()
}

func TestReadersGetTheirConversationOnly(t *testing.T) {
	t.Parallel()
	h := New(4)
	a, cards := h.Subscribe("a"), h.SubscribeApprovals()
	h.Publish([]agent.Event{text("a", 1), text("b", 1), {ConversationID: "b", Seq: 2, Data: agent.ApprovalRequestedEvent{ApprovalID: "x"}}})
	if got, _ := next(a); len(got) != 1 || got[0].ConversationID != "a" {
		t.Errorf("reader of a got %v", got)
	}
	if got, _ := next(cards); len(got) != 1 || got[0].Seq != 2 {
		t.Errorf("reader of approvals got %v", got)
	}
	a.Close()
	if _, open := next(a); open {
		t.Error("the subscription must be closed")
	}
}

func TestSlowReaderIsLetGo(t *testing.T) {
	t.Parallel()
	h := New(2)
	slow, fast := h.Subscribe("a"), h.Subscribe("a")
	for seq := range int64(3) {
		h.Publish([]agent.Event{text("a", seq)})
		next(fast)
	}
	if got, open := next(slow); len(got) != 2 || open {
		t.Errorf("the slow reader got %d batches before its end, want 2; open: %v", len(got), open)
	}
	h.Publish([]agent.Event{text("a", 9)})
	if got, _ := next(fast); got[0].Seq != 9 {
		t.Errorf("the fast reader got %v", got)
	}
}

func TestCloseEndsReadersAndLateComers(t *testing.T) {
	t.Parallel()
	h := New(1)
	s := h.Subscribe("a")
	h.Close()
	if _, open := next(s); open {
		t.Error("open after Close")
	}
	if _, open := next(h.Subscribe("a")); open {
		t.Error("open for a late comer")
	}
}

// BenchmarkPublish hands one batch to ten readers, who take it before the next
// one comes: readers that fall behind are let go of, and cost nothing.
func BenchmarkPublish(b *testing.B) {
	h := New(1)
	defer h.Close()
	var readers []*Subscription
	for range 10 {
		readers = append(readers, h.Subscribe("a"))
	}
	batch := []agent.Event{text("a", 1)}
	for b.Loop() {
		h.Publish(batch)
		for _, r := range readers {
			if _, open := next(r); !open {
				b.Fatal("a reader was let go of")
			}
		}
	}
}

// TestTakeJoinsBatches: a reader that was busy gets all that has come at once, in order.
func TestTakeJoinsBatches(t *testing.T) {
	t.Parallel()
	h := New(8)
	s := h.Subscribe("a")
	for seq := range int64(3) {
		h.Publish([]agent.Event{text("a", 2*seq), text("a", 2*seq+1)})
	}
	got, open := next(s)
	if len(got) != 6 || !open {
		t.Fatalf("got %d events, open: %v", len(got), open)
	}
	for i, e := range got {
		if e.Seq != int64(i) {
			t.Errorf("event %d has the number %d", i, e.Seq)
		}
	}
	if rest, _ := s.Take(); len(rest) > 0 {
		t.Errorf("taken twice: %v", rest)
	}
}
