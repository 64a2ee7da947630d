package looptest

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/guards"
	"fusebox/agent/loop"
	"fusebox/agent/policy"
	"fusebox/agent/provider"
	"fusebox/agent/service"
	"fusebox/store"
	"fusebox/store/storetest"
)

// sharers is how many runs share one budget.
const sharers = 64

// TestSharedBudgetIsNeverExceeded: however many runs spend from one budget side by
// side, with answers of random length at random times, it is never passed, and
// nearly all of it can be used before the runs pause.
func TestSharedBudgetIsNeverExceeded(t *testing.T) {
	t.Parallel()
	for seed := range agenttest.Rounds(t, "FUSEBOX_BUDGET_SEEDS", 12) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r := newSharers(t, uint64(seed), &spendthrift{rng: rand.New(rand.NewPCG(uint64(seed), 1))})
			r.limitAll()
			r.spendAll()
			r.check()
		})
	}
}

// sharing is an instance whose runs spend from one budget.
type sharing struct {
	t       *testing.T
	path    string
	seed    uint64
	budget  agent.Budget
	store   *store.Store
	service agenttest.Commands
	runner  *loop.Runner
}

// newSharers makes an instance with a model's endpoint.
func newSharers(t *testing.T, seed uint64, endpoint http.Handler) *sharing {
	t.Helper()
	r := &sharing{t: t, seed: seed, path: storetest.Migrated(t, filepath.Join(t.TempDir(), "f.db"))}
	ids, log := agenttest.IDs(), slog.New(slog.DiscardHandler)
	var err error
	r.store, err = store.Open(t.Context(), store.Options{Path: r.path, Clock: agent.SystemClock{}, NewID: ids, Logger: log})
	r.must(err)
	t.Cleanup(func() { r.must(r.store.Close()) })
	srv := httptest.NewServer(endpoint)
	t.Cleanup(srv.Close)
	model, err := provider.New(provider.Config{BaseURL: srv.URL + "/v1", HTTPClient: srv.Client(), Clock: agent.SystemClock{}})
	r.must(err)
	engine := &loop.Loop{
		Journal: r.store, Provider: model, Counter: model, Tools: newToolbox(), Policy: policy.New(), Reminder: guards.Reminder,
		Guards:  func(agent.GuardSettings) []agent.Guard { return nil },
		Streams: func(agent.GuardSettings, string, agent.DeltaKind) []agent.StreamGuard { return nil },
		Clock:   agent.SystemClock{}, NewID: ids, Log: log,
		Settings: loop.Settings{
			Guards: agent.DefaultGuardSettings(), Parallel: 2, MaxOutput: 2000, ApprovalTimeout: time.Hour,
			Price: func(string) (agent.Price, bool) { return agent.Price{Input: 2_000_000, Output: 8_000_000}, true },
		},
	}
	r.runner = &loop.Runner{Loop: engine, Clock: agent.SystemClock{}, Log: log, Owner: "p", Lease: time.Minute, Parallel: sharers}
	r.service = agenttest.NewCommands(r.store, r.runner, engine.Tools, agent.SystemClock{}, ids)
	r.service.Limits, r.service.Guards = agent.Limits{Tokens: 1 << 40}, agent.GuardSettings{MaxSteps: 1 << 20, MaxDuration: time.Hour}
	r.service.Policy = engine.Policy
	return r
}

// limitAll makes one budget for everybody: in tokens, in money, or in both, by the seed.
func (r *sharing) limitAll() {
	r.t.Helper()
	r.budget = agent.Budget{ID: "b", Who: agent.WhoEverybody, Span: agent.SpanDay, AtLimit: agent.LimitPause, CreatedBy: "ria@example.org"}
	if r.seed%3 != 1 {
		r.budget.LimitTokens = 150_000
	}
	if r.seed%3 != 0 {
		r.budget.LimitMicros = 540_000
	}
	r.must(r.store.AddBudget(r.t.Context(), agent.Viewer{Email: "ria@example.org", Role: agent.RoleAdmin}, r.budget))
}

func (r *sharing) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// spendAll starts all runs and lets them go until each of them has paused.
func (r *sharing) spendAll() {
	r.t.Helper()
	r.must(r.store.CreateUser(r.t.Context(), agent.User{ID: ana.UserID, Email: ana.Email, Role: ana.Role, CreatedAt: time.Now()}, "x"))
	for i := range sharers {
		id := fmt.Sprint("c", i)
		r.must(r.store.CreateConversation(r.t.Context(), agent.Conversation{
			ID: id, OwnerID: ana.UserID, ApprovalMode: agent.ModeDefault, CreatedAt: time.Now(), UpdatedAt: time.Now(),
		}))
		_, err := r.service.Post(r.t.Context(), ana, service.Post{ConversationID: id, Content: "spend"})
		r.must(err)
	}
	var all sync.WaitGroup
	for range sharers {
		run, err := r.store.Claim(r.t.Context(), "p", time.Hour)
		r.must(err)
		all.Go(func() {
			if err := r.runner.Loop.Advance(r.t.Context(), run); err != nil {
				r.t.Error(err)
			}
		})
	}
	all.Wait()
}

// check replays the ledger: at no row may what is used and what is held be more
// than the limit, and in the end little of it may be left.
func (r *sharing) check() {
	r.t.Helper()
	var used, held agent.LimitIncrease
	for _, e := range r.ledger() {
		move(&used, e, agent.AccountSpent)
		move(&held, e, agent.AccountReserved)
		over := r.budget.LimitTokens > 0 && used.Tokens+held.Tokens > r.budget.LimitTokens
		if over || r.budget.LimitMicros > 0 && used.Micros+held.Micros > r.budget.LimitMicros {
			r.t.Fatalf("row %d (%s): %d tokens and %d micro-USD used, %d and %d held", e.Seq, e.Kind, used.Tokens, used.Micros, held.Tokens, held.Micros)
		}
		if e.Kind == agent.EntryCorrection {
			r.t.Fatalf("row %d: a call took more than was held for it: %+v", e.Seq, e)
		}
	}
	share := max(part(used.Tokens, r.budget.LimitTokens), part(used.Micros, r.budget.LimitMicros))
	if share < 0.95 || held.Tokens != 0 || held.Micros != 0 {
		r.t.Errorf("%.1f %% of the budget was used, %d tokens are held still", share*100, held.Tokens)
	}
	r.cards()
	if _, err := store.CheckLedger(r.t.Context(), r.path, time.UTC); err != nil {
		r.t.Error(err)
	}
}

// ledger are all its rows, oldest first.
func (r *sharing) ledger() (all []agent.LedgerEntry) {
	r.t.Helper()
	for next := ""; ; {
		rows, cursor, err := r.store.Ledger(r.t.Context(), "", agent.Page{Limit: 200, Cursor: next})
		r.must(err)
		all = append(all, rows...)
		if next = cursor; next == "" {
			return all
		}
	}
}

func move(sum *agent.LimitIncrease, e agent.LedgerEntry, account string) {
	if e.Debit == account {
		sum.Tokens, sum.Micros = sum.Tokens+e.Tokens, sum.Micros+e.Micros
	}
	if e.Credit == account {
		sum.Tokens, sum.Micros = sum.Tokens-e.Tokens, sum.Micros-e.Micros
	}
}

func part(of, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(of) / float64(whole)
}

// approvals holds that each run has paused at an approval that shows the budget.
func (r *sharing) cards() {
	r.t.Helper()
	cards, _, err := r.store.Approvals(r.t.Context(), rex, agent.ApprovalFilter{Status: agent.ApprovalPending}, agent.Page{Limit: 2 * sharers})
	r.must(err)
	if len(cards) != sharers {
		r.t.Errorf("%d of %d runs have paused", len(cards), sharers)
	}
	for _, a := range cards {
		var ev agent.BudgetEvidence
		r.must(json.Unmarshal(a.Evidence, &ev))
		if a.Kind != agent.KindBudget || a.BudgetID != r.budget.ID || ev.Scope != "everybody_day" || ev.NextStepTokens == 0 || a.RefillAt.IsZero() {
			r.t.Fatalf("card %s: %+v", a.Kind, ev)
		}
	}
}

// spendthrift is a model's endpoint that answers whenever it likes, with as much
// as it likes: always a call of a tool, so that the run continues. It counts
// prompts in a way of its own.
type spendthrift struct {
	mu    sync.Mutex
	rng   *rand.Rand
	calls int
}

func (s *spendthrift) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var ask struct {
		MaxTokens  int64             `json:"max_tokens"`
		MaxTokens2 int64             `json:"max_completion_tokens"`
		Messages   []json.RawMessage `json:"messages"`
	}
	if err := json.NewDecoder(req.Body).Decode(&ask); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	letters := 0
	for _, m := range ask.Messages {
		letters += len(m)
	}
	s.mu.Lock()
	s.calls++
	n := s.calls
	prompt := int64(float64(letters) / 5 * (0.8 + 0.3*s.rng.Float64()))
	limit := ask.MaxTokens + ask.MaxTokens2
	output := 20 + s.rng.Int64N(limit+limit*agent.OverPercent/100+agent.OverTokens-19) // it runs over, too
	wait := time.Duration(s.rng.IntN(15)) * time.Millisecond
	s.mu.Unlock()
	select {
	case <-req.Context().Done():
		return
	case <-time.After(wait):
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, chunk := range []string{
		fmt.Sprintf(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call%d","function":{"name":"look","arguments":"{\"x\":%d}"}}]}}]}`, n, n),
		`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
		fmt.Sprintf(`{"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`, prompt, output),
		"[DONE]",
	} {
		_, _ = fmt.Fprintf(w, "data: %s\n\n", chunk)
	}
}
