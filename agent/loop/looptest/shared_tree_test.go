package looptest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
	"fusebox/store"
)

// The limits of each tree.
const (
	treeTokens = 12_000
	treeMicros = 60_000
)

// trees is how many trees spend at once.
func trees() int {
	if agenttest.Full() {
		return 64
	}
	return 16
}

// TestTreesNeverPassTheirLimits: however many trees of runs spend side by side, with answers
// of random length at random times, none passes the limits of its root, and a person is
// asked once about each.
func TestTreesNeverPassTheirLimits(t *testing.T) {
	t.Parallel()
	for seed := range agenttest.Rounds(t, "FUSEBOX_BUDGET_SEEDS", 12) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r := newSharers(t, uint64(seed), delegating{spendthrift: &spendthrift{rng: rand.New(rand.NewPCG(uint64(seed), 2))}})
			tools := r.runner.Loop.Tools.(*toolbox)
			tools.specs = append(tools.specs, agent.ToolSpec{Name: agent.DelegateTool, Effect: agent.EffectRead, Set: agent.CoreTools, Volatile: []string{"runId"}})
			r.service.Limits = agent.Limits{Tokens: treeTokens, CostMicros: treeMicros}
			r.checkTrees(r.spendInTrees())
		})
	}
}

// delegating has every root hand tasks to three runs that spend.
type delegating struct{ *spendthrift }

func (d delegating) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if strings.Contains(string(body), "I spend.") {
		req.Body = io.NopCloser(bytes.NewReader(body))
		d.spendthrift.ServeHTTP(w, req)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for i := range 3 {
		_, _ = fmt.Fprintf(w, "data: %s\n\n", agent.MustJSON(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{"tool_calls": []any{map[string]any{
			"index": i, "id": fmt.Sprint("d", i), "function": map[string]any{"name": agent.DelegateTool, "arguments": fmt.Sprintf(`{"agent":"spender%d","task":"Spend %d."}`, i%2, i)},
		}}}}}}))
	}
	_, _ = fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`+"\n\n"+
		`data: {"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":100}}`+"\n\ndata: [DONE]\n\n")
}

// spendInTrees starts all trees and lets them go until each asks for more. It returns their roots.
func (r *sharing) spendInTrees() (roots []string) {
	r.t.Helper()
	r.must(r.store.CreateUser(r.t.Context(), agent.User{ID: ana.UserID, Email: ana.Email, Role: ana.Role, CreatedAt: time.Now()}, "x"))
	for i := range 2 {
		_, err := r.store.CreateAgent(r.t.Context(), rex, agent.Agent{Name: fmt.Sprint("spender", i), Purpose: "Spends.", Instructions: "I spend."})
		r.must(err)
	}
	for i := range trees() {
		id := fmt.Sprint("c", i)
		r.must(r.store.CreateConversation(r.t.Context(), agent.Conversation{
			ID: id, OwnerID: ana.UserID, ApprovalMode: agent.ModeDefault, CreatedAt: time.Now(), UpdatedAt: time.Now(),
		}))
		posted, err := r.service.Post(r.t.Context(), ana, service.Post{ConversationID: id, Content: "spend"})
		r.must(err)
		roots = append(roots, posted.RunID)
	}
	ctx, stop := context.WithCancel(r.t.Context())
	ended := make(chan struct{})
	go func() {
		r.runner.Run(ctx, time.Minute)
		close(ended)
	}()
	agenttest.Eventually(r.t, "the rest of all trees", func() bool {
		open, err := r.store.UnendedRuns(r.t.Context())
		r.must(err)
		for _, run := range open {
			if run.Status != agent.StatusPaused {
				return false
			}
		}
		return true
	})
	stop()
	agenttest.Receive(r.t, "the end of the runner", ended)
	return roots
}

// checkTrees replays the ledger of each tree, and compares it with the bills of its runs.
func (r *sharing) checkTrees(roots []string) {
	r.t.Helper()
	rootOf, bill := map[string]string{}, map[string]agent.LimitIncrease{}
	for _, root := range roots {
		runs, err := r.store.Tree(r.t.Context(), root)
		r.must(err)
		sum := bill[root]
		for _, run := range runs {
			rootOf[run.ID] = root
			sum.Tokens, sum.Micros = sum.Tokens+run.Usage.Total(), sum.Micros+run.CostMicros
		}
		if bill[root] = sum; len(runs) != 4 || max(part(sum.Tokens, treeTokens), part(sum.Micros, treeMicros)) < 0.5 {
			r.t.Errorf("%d runs of a tree have used %+v", len(runs), sum)
		}
	}
	used, held := map[string]agent.LimitIncrease{}, map[string]agent.LimitIncrease{}
	for _, e := range r.ledger() {
		u, h := used[rootOf[e.RunID]], held[rootOf[e.RunID]]
		move(&u, e, agent.AccountSpent)
		move(&h, e, agent.AccountReserved)
		used[rootOf[e.RunID]], held[rootOf[e.RunID]] = u, h
		if u.Tokens+h.Tokens > treeTokens || u.Micros+h.Micros > treeMicros {
			r.t.Fatalf("row %d (%s): a tree has used %+v and holds %+v", e.Seq, e.Kind, u, h)
		}
	}
	for _, root := range roots {
		if used[root] != bill[root] || held[root] != (agent.LimitIncrease{}) {
			r.t.Errorf("the ledger has %+v of a tree and holds %+v, its runs have used %+v", used[root], held[root], bill[root])
		}
	}
	asked := map[string]int{}
	cards, _, err := r.store.Approvals(r.t.Context(), rex, agent.ApprovalFilter{Status: agent.ApprovalPending}, agent.Page{Limit: 4 * trees()})
	r.must(err)
	for _, card := range cards {
		asked[card.RunID]++
	}
	for _, root := range roots {
		if asked[root] != 1 || len(cards) != trees() {
			r.t.Errorf("%d cards ask about a tree, %d in all", asked[root], len(cards))
		}
	}
	if _, err := store.CheckLedger(r.t.Context(), r.path, time.UTC); err != nil {
		r.t.Error(err)
	}
}
