package store_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// TestMemoryIsBounded: a person has as many facts as there may be, each once; they are
// theirs alone, and go with the account.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	ctx := t.Context()
	for _, id := range []string{"ana", "eve"} {
		check(t, s.CreateUser(ctx, agent.User{ID: id, Email: id + "@example.org", Role: agent.RoleAdmin}, "h"))
	}
	for i := range agent.MaxFacts {
		fresh, err := s.AddFact(ctx, agent.Fact{ID: fmt.Sprint("f", i), UserID: "ana", Text: fmt.Sprint("fact ", i), CreatedAt: clock.Now()})
		if check(t, err); !fresh {
			t.Fatalf("fact %d is there already", i)
		}
	}
	if _, err := s.AddFact(ctx, agent.Fact{ID: "more", UserID: "ana", Text: "one more"}); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("one more: %v", err)
	}
	if fresh, err := s.AddFact(ctx, agent.Fact{ID: "same", UserID: "ana", Text: " FACT  7. "}); err != nil || fresh {
		t.Errorf("the same fact of a full memory: %v, %v", fresh, err)
	}
	if fresh, err := s.AddFact(ctx, agent.Fact{ID: "eves", UserID: "eve", Text: "fact 7"}); err != nil || !fresh {
		t.Errorf("the same fact of somebody else: %v, %v", fresh, err)
	}
	if err := s.DeleteFact(ctx, "eve", "f7"); agent.CodeOf(err) != agent.NotFound {
		t.Errorf("eve deleted ana's fact: %v", err)
	}
	check(t, s.SetMemory(ctx, "ana", false))
	if _, err := s.FactsForRun(ctx, "ana"); agent.CodeOf(err) != agent.Forbidden {
		t.Errorf("recalled what is switched off: %v", err)
	}
	check(t, s.RemoveUser(ctx, "ana", agent.UserData{}))
	left, err := s.Facts(ctx, "ana")
	check(t, err)
	eves, err := s.FactsForRun(ctx, "eve")
	check(t, err)
	if len(left) != 0 || len(eves) != 1 {
		t.Errorf("after the removal ana has %d facts, eve %d", len(left), len(eves))
	}
}
