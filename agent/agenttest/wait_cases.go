package agenttest

import (
	"errors"
	"testing"
	"time"

	"fusebox/agent"
)

// waiting lets go of a run until some time from now.
func waiting(t *testing.T, j Journal, run *agent.Run, clock *Clock, d time.Duration) error {
	t.Helper()
	e := entry(run)
	next := *run
	next.Status, next.WakeAt = agent.StatusQueued, clock.Now().Add(d)
	next.State.Waits = []agent.Wait{{CallID: "a", Delay: d, NextAt: next.WakeAt}}
	e.Run = &next
	_, err := j.Append(t.Context(), e)
	return err
}

func wakesInTime(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	must(t, waiting(t, j, run, clock, time.Minute))
	clock.Advance(59 * time.Second)
	if _, err := j.Claim(t.Context(), "p2", time.Minute); agent.CodeOf(err) != agent.NotFound {
		t.Fatalf("it was claimed too early: %v", err)
	}
	clock.Advance(time.Second)
	again, err := j.Claim(t.Context(), "p2", time.Minute)
	must(t, err)
	if again.ID != run.ID || len(again.State.Waits) != 1 || again.State.Waits[0].CallID != "a" {
		t.Errorf("claimed %+v", again.State)
	}
}

func abortWakes(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	must(t, waiting(t, j, run, clock, time.Hour))
	must(t, j.RequestAbort(t.Context(), run.ID, "ana@example.org"))
	again, err := j.Claim(t.Context(), "p2", time.Minute)
	must(t, err)
	if err := waiting(t, j, again, clock, time.Hour); !errors.Is(err, agent.ErrDecided) {
		t.Errorf("a wait overtook an abort: %v", err)
	}
}

func keepsOutputs(t *testing.T, j Journal, clock *Clock) {
	start(t, j, clock)
	must(t, j.CreateConversation(t.Context(), agent.Conversation{ID: "c2", OwnerID: "u", CreatedAt: clock.Now(), UpdatedAt: clock.Now()}))
	p := prompt("2")
	p.ConversationID, p.Outputs = "c2", map[string]string{"city": "string"}
	_, err := j.Enqueue(t.Context(), p)
	must(t, err)
	snap := snapshot(t, j, p.RunID)
	if snap.Run.State.Outputs["city"] != "string" {
		t.Errorf("the run owes %v", snap.Run.State.Outputs)
	}
}
