package looptest

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

// TestBudgetInEveryForm: where the tokens of a workflow are used up in the middle, one card says what each run
// has used. With more it goes on, and without it ends with what there is.
func TestBudgetInEveryForm(t *testing.T) {
	t.Parallel()
	everyForm(t, func(t *testing.T, s shape) {
		for _, raise := range []bool{true, false} {
			w := s.begins(t, agent.Usage{Tokens: agent.Tokens{InputTokens: 1000, OutputTokens: 1000}})
			w.service.Limits.Tokens = 2050
			run := w.postTo("What is to be seen?")
			card := w.card()
			if card.Kind != agent.KindBudget || card.RunID != run.ID || run.Status != agent.StatusPaused {
				t.Fatalf("the run is %s, the card %+v", run.Status, card)
			}
			ev, err := card.BudgetEvidence()
			w.must(err)
			var said, want []string
			for _, r := range ev.Runs {
				said = append(said, fmt.Sprint(r.RunID, r.Agent, r.Tokens))
			}
			for _, r := range w.tree(run.ID) {
				want = append(want, fmt.Sprint(r.ID, r.Agent, r.Usage.Total()))
			}
			if fmt.Sprint(said) != fmt.Sprint(want) {
				t.Errorf("the card says %v, want %v", said, want)
			}
			if !raise {
				w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideReject})
				run = w.advance(run.ID)
				if got := w.answered(run.ID); run.Status != agent.StatusStopped || run.StopReason != agent.StopTokenBudget || got != s.first() {
					t.Errorf("the run is %s (%s) with %q, want %q", run.Status, run.StopReason, got, s.first())
				}
				w.rest(run.ID)
				continue
			}
			w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove, RaiseTokensBy: 100_000})
			w.comesTo(s, w.advance(run.ID))
		}
	})
}

// TestLimitOfAnAgentInEveryForm: a step whose agent has reached its own limit has failed. A person is asked, and
// what they say to it holds. One that leads goes on without the agent that has reached it.
func TestLimitOfAnAgentInEveryForm(t *testing.T) {
	t.Parallel()
	everyForm(t, func(t *testing.T, s shape) {
		w := s.begins(t, agent.Usage{Tokens: agent.Tokens{InputTokens: 1000, OutputTokens: 1000}})
		west, err := w.store.Agent(t.Context(), "west", 0)
		w.must(err)
		west.Limits.Tokens = 1
		_, err = w.store.UpdateAgent(t.Context(), rex, *west)
		w.must(err)
		run := w.postTo("What is to be seen?")
		asked := 0
		for ; run.Status == agent.StatusPaused && asked < 3; asked++ {
			if card := w.card(); card.Kind != agent.KindQuestion || card.RunID != run.ID || !strings.Contains(card.Message, " has failed") {
				t.Fatalf("the card is %+v", card)
			}
			run = w.answer(run.ID, "Go on without it")
		}
		if run.Status != agent.StatusFinished || (asked > 0) == (s.hands != nil) && s.flow.Join != agent.JoinBest {
			t.Errorf("the run is %s (%s) with %q after %d questions", run.Status, run.StopReason, w.lastAnswer(), asked)
		}
		for _, r := range w.tree(run.ID)[1:] {
			if r.Agent == "west" && (r.Status != agent.StatusStopped || r.StopReason != agent.StopTokenBudget || r.Usage.Total() > 0) {
				t.Errorf("west is %s (%s) with %d tokens", r.Status, r.StopReason, r.Usage.Total())
			}
		}
		w.rest(run.ID)
	})
}

// TestBreakerInEveryForm: a step that goes in a circle waits alone, and goes on alone once somebody has
// decided; the other steps that began are done meanwhile.
func TestBreakerInEveryForm(t *testing.T) {
	t.Parallel()
	everyForm(t, func(t *testing.T, s shape) {
		circle := calling(7, "look", false)
		w := s.begins(t, agent.Usage{}, append(circle, agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("last", "look", `{"x":1}`)}})...)
		run := w.postTo("What is to be seen?")
		rounds := 0
		for ; run.Status == agent.StatusPaused && rounds < 2; rounds++ {
			card := w.card()
			if card.Kind != agent.KindLoop || card.Agent != "west" {
				t.Fatalf("the card is %+v", card)
			}
			for _, r := range w.tree(run.ID)[1:] {
				if r.ID != card.RunID && r.Agent != "boss" && r.Status != agent.StatusFinished && r.Agent != "lost" {
					t.Errorf("the run of %s is %s", r.Agent, r.Status)
				}
			}
			w.decide(rex, card.ID, resume(agent.ResumePlain, 0))
			run = w.advance(run.ID)
		}
		if rounds == 0 {
			t.Error("nobody was asked")
		}
		w.comesTo(s, run)
	})
}

// TestCardsInEveryForm: what a step asks is decided for that step alone, and the run goes on with what
// its agent says to it.
func TestCardsInEveryForm(t *testing.T) {
	t.Parallel()
	everyForm(t, func(t *testing.T, s shape) {
		for verb, saved := range map[agent.Verb]int{agent.DecideApprove: 1, agent.DecideReject: 0} {
			w := s.begins(t, agent.Usage{}, agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("h", "save", `{}`)}})
			run := w.postTo("What is to be seen?")
			cards := 0
			for ; run.Status == agent.StatusPaused && cards < 3; cards++ {
				card := w.card()
				if card.Kind != agent.KindTool || card.Agent != "west" || card.Path[0].RunID != run.ID {
					t.Fatalf("the card is %+v", card)
				}
				w.decide(rex, card.ID, agent.Decision{Verb: verb})
				run = w.advance(run.ID)
			}
			if got := w.tools.executed("save"); cards == 0 || got != saved*cards {
				t.Errorf("%s: saved %d times after %d cards", verb, got, cards)
			}
			w.comesTo(s, run)
		}
	})
}

// TestBillInEveryForm: what the ledger has of the runs of a tree is what they say that they have used, by
// agent.
func TestBillInEveryForm(t *testing.T) {
	t.Parallel()
	everyForm(t, func(t *testing.T, s shape) {
		w := s.begins(t, agent.Usage{Tokens: agent.Tokens{InputTokens: 700, OutputTokens: 11}})
		run := w.postTo("What is to be seen?")
		w.comesTo(s, run)
		want, by := map[string]agent.LimitIncrease{}, map[string]string{}
		for _, r := range w.tree(run.ID) {
			by[r.ID] = r.Agent
			all := want[r.Agent]
			want[r.Agent] = agent.LimitIncrease{Tokens: all.Tokens + r.Usage.Total(), Micros: all.Micros + r.CostMicros}
		}
		got := map[string]agent.LimitIncrease{}
		rows, _, err := w.store.Ledger(t.Context(), "", agent.Page{Limit: 200})
		w.must(err)
		for _, e := range rows {
			all := got[by[e.RunID]]
			move(&all, e, agent.AccountSpent)
			got[by[e.RunID]] = all
		}
		maps.DeleteFunc(want, func(_ string, used agent.LimitIncrease) bool { return used.Tokens == 0 })
		if !maps.Equal(got, want) || got["west"].Micros == 0 {
			t.Errorf("the ledger has %v, the runs %v", got, want)
		}
	})
}

// slowly lets time pass with each entry of a run that has no parent.
type slowly struct {
	agent.Journal
	clock *agenttest.Clock
	by    time.Duration
}

func (j slowly) Append(ctx context.Context, e agent.Change) (agent.Committed, error) {
	if e.ParentRunID == "" {
		j.clock.Advance(j.by)
	}
	return j.Journal.Append(ctx, e)
}

// TestTimeOfWorkflowIsUp: a workflow whose own running time is over stops the step at work, and ends with what there is.
func TestTimeOfWorkflowIsUp(t *testing.T) {
	t.Parallel()
	s := shapes()["sequence"]
	w := s.begins(t, agent.Usage{})
	w.service.Guards.MaxDuration = time.Minute
	w.runner.Loop.Journal = slowly{w.store, w.clock, 25 * time.Second}
	run := w.postTo("What is to be seen?")
	if got := w.answered(run.ID); run.Status != agent.StatusStopped || run.StopReason != agent.StopTimeout || got != "A red sail." {
		t.Errorf("the run is %s (%s) with %q", run.Status, run.StopReason, got)
	}
	w.rest(run.ID)
}

// TestAbortInEveryForm: whoever stops a workflow stops all of its steps at once: they need no time to end, and nothing is
// done afterwards.
func TestAbortInEveryForm(t *testing.T) {
	t.Parallel()
	everyForm(t, func(t *testing.T, s shape) {
		w := s.begins(t, agent.Usage{}, agenttest.Turn{Text: "I", Hold: true})
		w.works()
		done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "What is to be seen?", Workflow: "flow"})
		w.must(err)
		select {
		case <-w.model.Holding:
		case <-agenttest.Context(t).Done():
			t.Fatal("west was not asked")
		}
		w.must(w.service.Abort(t.Context(), ana, done.RunID))
		agenttest.Eventually(t, "the end of the run", func() bool {
			run, err := w.store.Run(t.Context(), ana, done.RunID)
			w.must(err)
			return run.Status.Ended()
		})
		for _, r := range w.tree(done.RunID) {
			if r.Status != agent.StatusAborted && r.Agent != "east" && r.Agent != "lost" {
				t.Errorf("the run of %q is %s", r.Agent, r.Status)
			}
		}
		w.rest(done.RunID)
	})
}
