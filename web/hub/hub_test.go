package hub

import (
	"testing"

	"fusebox/agent"
)

func text(conv string, seq int64) agent.Event {
	return agent.Event{ConversationID: conv, Seq: seq, Data: agent.TextDelta{ID: "m", Delta: "x"}}
}

func TestReadersGetTheirConversationOnly(t *testing.T) {
	t.Parallel()
	h := New(4)
	a, cards := h.Subscribe("a"), h.SubscribeApprovals()
	h.Publish([]agent.Event{text("a", 1), text("b", 1), {ConversationID: "b", Seq: 2, Data: agent.ApprovalRequestedEvent{ApprovalID: "x"}}})
	if got := <-a.C; len(got) != 1 || got[0].ConversationID != "a" {
		t.Errorf("reader of a got %v", got)
	}
	if got := <-cards.C; len(got) != 1 || got[0].Seq != 2 {
		t.Errorf("reader of approvals got %v", got)
	}
	a.Close()
	if _, open := <-a.C; open {
		t.Error("the channel must be closed")
	}
}

func TestSlowReaderIsLetGo(t *testing.T) {
	t.Parallel()
	h := New(2)
	slow, fast := h.Subscribe("a"), h.Subscribe("a")
	for seq := range int64(3) {
		h.Publish([]agent.Event{text("a", seq)})
		<-fast.C
	}
	n := 0
	for range slow.C {
		n++
	}
	if n != 2 {
		t.Errorf("the slow reader got %d batches before its end, want 2", n)
	}
	h.Publish([]agent.Event{text("a", 9)})
	if got := <-fast.C; got[0].Seq != 9 {
		t.Errorf("the fast reader got %v", got)
	}
}

func TestCloseEndsReadersAndLateComers(t *testing.T) {
	t.Parallel()
	h := New(1)
	s := h.Subscribe("a")
	h.Close()
	if _, open := <-s.C; open {
		t.Error("open after Close")
	}
	if _, open := <-h.Subscribe("a").C; open {
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
			if _, open := <-r.C; !open {
				b.Fatal("a reader was let go of")
			}
		}
	}
}
