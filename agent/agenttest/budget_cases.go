package agenttest

import (
	"errors"
	"testing"

	"fusebox/agent"
)

// call1 is a model call of a run that wants 500 tokens of output behind a prompt of 200.
func call1(run *agent.Run) agent.ReservationRequest {
	return agent.ReservationRequest{
		RunID: run.ID, Epoch: run.Epoch, Step: 1, Model: "demo", Prompt: 200, MinOutput: 100, WantOutput: 500,
		Price: agent.Price{Input: 1_000_000, Output: 1_000_000}, Priced: true,
	}
}

// spend settles a step of so many tokens.
func spend(t *testing.T, j Journal, run *agent.Run, n int, tokens int64) {
	t.Helper()
	e := entry(run, agent.Notice{Message: "spent"})
	next := *run
	next.Usage.InputTokens += tokens
	next.CostMicros += tokens
	e.Run = &next
	e.Steps = []agent.Step{{
		RunID: run.ID, N: n, ConversationID: "c", UserID: "u", Model: "demo", Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: tokens}}, CostMicros: tokens,
	}}
	commit(t, j, e)
	*run = next
}

func lowersOutput(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock) // with 1,000 tokens
	room, err := j.Reserve(t.Context(), call1(run))
	must(t, err)
	if room.Output != 500 || !room.At.Equal(agent.Stamp(clock)) {
		t.Errorf("a whole budget gives %+v", room)
	}
	spend(t, j, run, 1, 500)
	second := call1(run)
	second.Step = 2
	if room, err = j.Reserve(t.Context(), second); err != nil || room.Output != 300 {
		t.Errorf("500 tokens behind a prompt of 200 give %+v, %v", room, err)
	}
	if again, err := j.Reserve(t.Context(), second); err != nil || again.Output != 300 {
		t.Errorf("the same call once more is in its own way: %+v, %v", again, err)
	}
	must(t, j.Release(t.Context(), run.ID, run.Epoch))
}

func refusesBeyondBudget(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	spend(t, j, run, 1, 701)
	_, err := j.Reserve(t.Context(), call1(run))
	var short *agent.InsufficientBudget
	if !errors.As(err, &short) {
		t.Fatalf("299 tokens hold a call of at least 300: %v", err)
	}
	if short.Who != agent.WhoRun || short.UsedTokens != 701 || short.TokenLimit() != 1000 || short.NextTokens != 300 || short.NextMicros != 300 || short.Wait || short.Money {
		t.Errorf("in the way is %+v", short)
	}
	must(t, j.Release(t.Context(), run.ID, run.Epoch)) // also where nothing is held
}

func countsConversation(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	run.Limits.ConversationTokens = 900
	spend(t, j, run, 1, 650)
	_, err := j.Reserve(t.Context(), call1(run))
	var short *agent.InsufficientBudget
	if !errors.As(err, &short) || short.Who != agent.WhoConversation || short.UsedTokens != 650 {
		t.Errorf("in the way is %v", err)
	}
}

func reservesForOwnRuns(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	stale := call1(run)
	stale.Epoch++
	if _, err := j.Reserve(t.Context(), stale); !errors.Is(err, agent.ErrStale) {
		t.Errorf("a stale owner reserved: %v", err)
	}
	if err := j.Release(t.Context(), run.ID, run.Epoch+1); !errors.Is(err, agent.ErrStale) {
		t.Errorf("a stale owner released: %v", err)
	}
	unknown := call1(run)
	unknown.RunID = "nobody"
	_, err := j.Reserve(t.Context(), unknown)
	wantCode(t, err, agent.NotFound)
}
