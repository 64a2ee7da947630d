package loop

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"fusebox/agent"
	"fusebox/agent/service"
)

// failingStore has a paused run that cannot be aborted.
type failingStore struct{ service.RunStore }

var errStore = errors.New("the database is gone")

func (failingStore) Conversation(context.Context, agent.Viewer, string) (*agent.Conversation, error) {
	return &agent.Conversation{ID: "c", Model: "demo", OwnerID: "ana"}, nil
}

func (failingStore) ActiveRun(context.Context, string) (*agent.Run, error) {
	return &agent.Run{ID: "r", Status: agent.StatusPaused}, nil
}

func (failingStore) RequestAbort(context.Context, string, string) error { return errStore }

// TestNobodyIsLeftWaiting: a message whose paused run cannot be aborted no longer waits
// for that run to end.
func TestNobodyIsLeftWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &Runner{Clock: agent.SystemClock{}}
		runs := &service.Runs{Store: failingStore{}, Runner: r, Clock: agent.SystemClock{}, DefaultModel: "demo"}
		for range 3 {
			_, err := runs.Post(t.Context(), agent.Viewer{UserID: "ana"}, service.Post{ConversationID: "c", Content: "never mind", Supersede: true})
			if !errors.Is(err, errStore) {
				t.Fatalf("posted: %v", err)
			}
		}
		synctest.Wait()
		if len(r.waiters) != 0 {
			t.Errorf("still waiting: %v", r.waiters)
		}
	})
}
