package looptest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

// later writes a message while a run works, and returns its id in the queue.
func (w *world) later(text string) string {
	w.t.Helper()
	done, err := w.service.Post(w.t.Context(), ana, service.Post{ConversationID: "c", Content: text, ClientID: text, Queue: true})
	w.must(err)
	if done.QueuedID == "" {
		w.t.Errorf("%q does not wait: %+v", text, done)
	}
	return done.QueuedID
}

// waiting is what waits in the conversation.
func (w *world) waiting() (texts []string, held bool) {
	w.t.Helper()
	q, err := w.service.Queue(w.t.Context(), ana, "c")
	w.must(err)
	for _, it := range q.Items {
		texts = append(texts, it.Content)
	}
	told := find[agent.QueueEvent](w.events())
	if n := len(told); n == 0 && len(texts) > 0 || n > 0 && (len(told[n-1].Items) != len(texts) || told[n-1].Held != q.Held) {
		w.t.Errorf("told was %+v, there is %+v", told, q)
	}
	return texts, q.Held
}

// asked are the persons' messages of the conversation.
func (w *world) asked() (texts []string) {
	w.t.Helper()
	for _, m := range w.soundHistory() {
		if m.Asks() {
			texts = append(texts, m.Content)
		}
	}
	return texts
}

// during has something done once, while the first call of look runs.
func (w *world) during(do func()) {
	var once sync.Once
	w.tools.do["look"] = func(context.Context, agent.ToolInput) agent.ToolResult {
		once.Do(do)
		return agent.ToolResult{Content: "seen"}
	}
}

// TestQueueGoesOnInOrder: what was written while a run worked is answered after it, each once,
// as it was changed and ordered meanwhile.
func TestQueueGoesOnInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("1", "look", `{}`)}})
	w.during(func() {
		gone, changed, last := w.later("gone"), w.later("to change"), w.later("first")
		w.must(w.service.ChangeQueued(t.Context(), ana, "c", last, agent.QueuedPatch{Position: new(0)}))
		w.must(w.service.ChangeQueued(t.Context(), ana, "c", changed, agent.QueuedPatch{Content: new("changed")}))
		w.must(w.service.RemoveQueued(t.Context(), ana, "c", gone))
		if again := w.later("first"); again != last {
			t.Errorf("sent once more it waits as %s, too", again)
		}
		if got, held := w.waiting(); held || !slices.Equal(got, []string{"first", "changed"}) {
			t.Errorf("there wait %q, held %v", got, held)
		}
	})
	w.post("begin")
	if diff := cmp.Diff([]string{"begin", "first", "changed"}, w.asked()); diff != "" {
		t.Error(diff)
	}
	if got, _ := w.waiting(); len(got) > 0 {
		t.Errorf("there still wait %q", got)
	}
	done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "first", ClientID: "first", Queue: true})
	if w.must(err); !done.Existing || done.RunID == "" {
		t.Errorf("sent once more it is %+v", done)
	}
}

// TestQueueIsHeld: where a run does not come to its answer nothing that waits is lost, and
// nothing begins by itself, also after a restart. One word lets it go on, or a new message.
func TestQueueIsHeld(t *testing.T) {
	t.Parallel()
	for name, ends := range map[string]func(w *world, runID string){
		"stopped": func(w *world, runID string) { w.must(w.service.Abort(w.t.Context(), ana, runID)) },
		"failed":  func(*world, string) {},
	} {
		for _, byMessage := range []bool{false, true} {
			t.Run(fmt.Sprint(name, byMessage), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("1", "look", `{}`)}},
					agenttest.Turn{Err: &agent.ProviderError{Status: 500, Message: "Out of order.", Attempts: 1}})
				done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "begin"})
				w.must(err)
				w.during(func() {
					w.later("one")
					w.later("two")
					ends(w, done.RunID)
				})
				w.advance(done.RunID)
				w.restart()
				w.must(w.service.Tick(t.Context()))
				w.advance(done.RunID)
				if got, held := w.waiting(); !held || !slices.Equal(got, []string{"one", "two"}) {
					t.Fatalf("there wait %q, held %v", got, held)
				}
				want := []string{"begin", "one", "two"}
				if byMessage {
					w.post("new")
					want = []string{"begin", "new", "one", "two"}
				} else {
					w.must(w.service.ResumeQueue(t.Context(), ana, "c"))
				}
				for range 3 { // one of them meets the model that is out of order
					w.advance(done.RunID)
					w.must(w.service.ResumeQueue(t.Context(), ana, "c"))
				}
				if diff := cmp.Diff(want, w.asked()); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// TestQueueWaitsBehindCards: what waits is no answer to a card, and is sent once the run is done.
func TestQueueWaitsBehindCards(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shell("ls"))
	run := w.post("begin")
	w.later("next")
	w.must(w.service.Tick(t.Context()))
	if got, _ := w.waiting(); len(got) != 1 || w.card().Status != agent.ApprovalPending {
		t.Errorf("there wait %q", got)
	}
	w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideApprove})
	w.advance(run.ID)
	if diff := cmp.Diff([]string{"begin", "next"}, w.asked()); diff != "" {
		t.Error(diff)
	}
}

// TestQueueSaysWhyItStops: a message that cannot be sent any more stays, and the chat says why.
func TestQueueSaysWhyItStops(t *testing.T) {
	t.Parallel()
	w := newTree(t, map[string][]agenttest.Turn{"east": nil}, agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("1", "look", `{}`)}})
	w.during(func() {
		_, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "next", Agent: "east", Queue: true})
		if err := errors.Join(err, w.store.DeleteAgent(t.Context(), rex, "east")); err != nil {
			t.Error(err)
		}
	})
	w.post("begin")
	notices := find[agent.Notice](w.events())
	if got, held := w.waiting(); !held || len(got) != 1 || len(notices) != 1 || !strings.Contains(notices[0].Message, "The next message was not sent.") {
		t.Errorf("there wait %q, held %v, told %+v", got, held, notices)
	}
}

// TestQueueEndsSomewhere: a conversation takes a bounded number of messages that wait.
func TestQueueEndsSomewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shell("ls"))
	w.post("begin")
	for i := range agent.MaxQueued {
		w.later(fmt.Sprint(i))
	}
	_, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "more", Queue: true})
	if agent.CodeOf(err) != agent.Conflict {
		t.Errorf("one more is taken: %v", err)
	}
}

// TestTwoWritersAtOnce: of two who send at once while nothing works one starts, the other waits,
// and both are answered.
func TestTwoWritersAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if _, err := w.service.Post(context.Background(), ana, service.Post{ConversationID: "c", Content: fmt.Sprint(i), Queue: true}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	run, err := w.store.ActiveRun(t.Context(), "c")
	w.must(err)
	w.advance(run.ID)
	if got := slices.Sorted(slices.Values(w.asked())); !slices.Equal(got, []string{"0", "1", "2", "3", "4", "5", "6", "7"}) {
		t.Errorf("asked was %q", got)
	}
}
