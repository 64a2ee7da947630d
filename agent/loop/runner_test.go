package loop

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

// failingStore has a paused run that cannot be aborted.
type failingStore struct{ agenttest.CommandStore }

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
		messages := agenttest.NewCommands(failingStore{}, r, nil, agent.SystemClock{}, nil)
		for range 3 {
			_, err := messages.Post(t.Context(), agent.Viewer{UserID: "ana"}, service.Post{ConversationID: "c", Content: "never mind", Supersede: true})
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

// endingStore has a paused run that ends once its process has looked twice.
type endingStore struct {
	failingStore
	runner *Runner
	looks  int
}

func (s *endingStore) ActiveRun(context.Context, string) (*agent.Run, error) {
	if s.looks++; s.looks > 3 {
		return nil, agent.Errorf(agent.NotFound, "There is no active run.")
	}
	s.letGo()
	return &agent.Run{ID: "r", Status: agent.StatusPaused}, nil
}

func (s *endingStore) EndingBelow(context.Context, string) ([]agent.Run, error) { return nil, nil }

func (s *endingStore) RequestAbort(context.Context, string, string) error {
	s.letGo()
	return nil
}

// letGo is a stay of the run that is over.
func (s *endingStore) letGo() {
	s.runner.mu.Lock()
	p := s.runner.enter(context.Background(), "r")
	s.runner.slots <- struct{}{}
	s.runner.mu.Unlock()
	p.leave()
}

// GuardConfig is read for the new run.
func (s *endingStore) GuardConfig(context.Context) (agent.GuardConfig, error) {
	return agent.GuardConfig{}, errStore
}

// TestMessageWaitsForTheEnd: a message that takes the place of a paused run is stored once that run
// has ended, whoever lets go of it before.
func TestMessageWaitsForTheEnd(t *testing.T) {
	t.Parallel()
	r := &Runner{Clock: agent.SystemClock{}}
	r.init()
	s := &endingStore{runner: r}
	messages := agenttest.NewCommands(s, r, nil, agent.SystemClock{}, agenttest.IDs())
	_, err := messages.Post(t.Context(), agent.Viewer{UserID: "ana"}, service.Post{ConversationID: "c", Content: "never mind", Supersede: true})
	if !errors.Is(err, errStore) || s.looks != 4 {
		t.Errorf("posted after %d looks: %v", s.looks, err)
	}
}
