package store_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store"
	"fusebox/store/storetest"
)

// TestBudgetsHoldInAnyHistory: whatever happens in whatever order — calls that
// begin, are retried, settle and are let go of, budgets that come, change, end
// and are raised, people who change groups, clocks that continue, processes that die,
// conversations that are deleted — no call is let pass that would pass a limit,
// none is held up that fits, each share is told of once, and the ledger adds up.
func TestBudgetsHoldInAnyHistory(t *testing.T) {
	t.Parallel()
	for seed := range agenttest.Rounds(t, "FUSEBOX_BUDGET_HISTORIES", 100) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			newHistory(t, uint64(seed)).play(100)
		})
	}
}

// history is an instance in which things happen at random.
type history struct {
	t     *testing.T
	rng   *rand.Rand
	path  string
	clock *agenttest.Clock
	store *store.Store
	want  *oracle
	runs  map[string]*agent.Run // those that are running
	n     int
}

var historyZones = []string{"UTC", "America/Santiago", "Europe/Berlin", "Asia/Kolkata", "America/Havana", "Africa/Cairo", "Pacific/Apia"}

var historyPrice = agent.Price{Input: 1_000_000, Cached: 1_000_000, Output: 3_000_000}

func newHistory(t *testing.T, seed uint64) *history {
	t.Helper()
	h := &history{
		t: t, rng: rand.New(rand.NewPCG(seed, 6)), path: storetest.Migrated(t, filepath.Join(t.TempDir(), "f.db")), clock: agenttest.NewClock(), runs: map[string]*agent.Run{},
	}
	zone, err := time.LoadLocation(historyZones[seed%uint64(len(historyZones))])
	check(t, err)
	h.want = newOracle(zone)
	h.clock.Advance(time.Duration(h.rng.IntN(365*24)) * time.Hour)
	h.store, err = store.Open(t.Context(), store.Options{Path: h.path, Clock: h.clock, NewID: agenttest.IDs(), Zone: zone})
	check(t, err)
	t.Cleanup(func() { check(t, h.store.Close()) })
	for i, group := range []string{"", "red", "red", "blue"} {
		id := fmt.Sprint("u", i)
		check(t, h.store.CreateUser(t.Context(), agent.User{ID: id, Email: id + "@example.org", Role: agent.RoleAdmin, CreatedAt: h.clock.Now()}, "x"))
		h.toGroup(id, group)
	}
	for range 3 {
		h.addBudget()
	}
	return h
}

func (h *history) toGroup(user, group string) {
	check(h.t, h.store.PatchUser(h.t.Context(), user, agent.UserPatch{Group: &group}))
}

// play lets so many things happen, and looks at everything after each.
func (h *history) play(moves int) {
	h.t.Helper()
	all := []struct {
		weight int
		move   func()
	}{
		{20, h.startRun}, {40, h.reserve}, {15, h.again}, {35, h.settle}, {6, h.release}, {6, h.endRun}, {6, h.addBudget}, {5, h.changeBudget},
		{4, h.endBudget}, {6, h.raise}, {6, h.changeGroup}, {14, h.passTime}, {3, h.die}, {4, h.deleteConversation},
	}
	var bag []func()
	for _, m := range all {
		bag = append(bag, slices.Repeat([]func(){m.move}, m.weight)...)
	}
	for range moves {
		bag[h.rng.IntN(len(bag))]()
		h.look()
		if h.t.Failed() {
			return
		}
	}
	_, err := store.CheckLedger(h.t.Context(), h.path, h.want.zone)
	if err != nil {
		h.t.Error(err)
	}
}

// look compares all budgets as they stand.
func (h *history) look() {
	h.t.Helper()
	all, err := h.store.BudgetStatuses(h.t.Context())
	check(h.t, err)
	for _, st := range all {
		if what := h.want.differs(st); what != "" {
			h.t.Fatal(what)
		}
	}
}

func (h *history) id(kind string) string {
	h.n++
	return fmt.Sprintf("%s%04d", kind, h.n)
}

// pick returns one of the keys, false where there are none.
func pick[V any](h *history, of map[string]V) (string, bool) {
	keys := slices.Sorted(maps.Keys(of))
	if len(keys) == 0 {
		return "", false
	}
	return keys[h.rng.IntN(len(keys))], true
}

// between is a random number, both ends included.
func (h *history) between(from, to int64) int64 { return from + h.rng.Int64N(to-from+1) }

func (h *history) startRun() {
	if len(h.runs) >= 6 {
		return
	}
	user, conversation := fmt.Sprint("u", h.rng.IntN(4)), h.id("c")
	check(h.t, h.store.CreateConversation(h.t.Context(), agent.Conversation{
		ID: conversation, OwnerID: user, ApprovalMode: agent.ModeDefault, CreatedAt: h.clock.Now(), UpdatedAt: h.clock.Now(),
	}))
	_, err := h.store.Enqueue(h.t.Context(), agent.NewMessage{
		ConversationID: conversation, UserID: user, MessageID: h.id("m"), RunID: h.id("r"), Content: "q", Model: "demo",
	})
	check(h.t, err)
	h.claim()
}

// claim takes all runs that are ready, as another process: those whose lease ran
// out have lost what they held.
func (h *history) claim() {
	h.t.Helper()
	lease := time.Duration(h.between(1, 200)) * time.Hour
	for {
		run, err := h.store.Claim(h.t.Context(), "p", lease)
		if agent.CodeOf(err) == agent.NotFound {
			return
		}
		check(h.t, err)
		if old := h.runs[run.ID]; old != nil {
			h.isStale(old)
		}
		delete(h.want.open, run.ID)
		h.runs[run.ID] = run
	}
}

// isStale holds that a process that lost a run can do nothing of it.
func (h *history) isStale(old *agent.Run) {
	h.t.Helper()
	_, err := h.store.Reserve(h.t.Context(), agent.ReservationRequest{RunID: old.ID, Epoch: old.Epoch, Step: 1, Prompt: 1, MinOutput: 1, WantOutput: 1})
	if agent.CodeOf(err) != agent.CodeOf(agent.ErrStale) {
		h.t.Errorf("reserved by who lost the run: %v", err)
	}
	if err := h.store.Release(h.t.Context(), old.ID, old.Epoch); agent.CodeOf(err) != agent.CodeOf(agent.ErrStale) {
		h.t.Errorf("released by who lost the run: %v", err)
	}
}

func (h *history) reserve() {
	id, ok := pick(h, h.runs)
	if !ok || h.want.open[id] != nil {
		return
	}
	run := h.runs[id]
	h.ask(oracleCall{
		run: id, conversation: run.ConversationID, user: run.UserID, group: h.groupOf(run.UserID), at: agent.Stamp(h.clock), step: run.Steps + 1,
		prompt: h.between(1, 2000), output: h.between(1, 1000),
	})
}

// again extends a call by a further try.
func (h *history) again() {
	id, ok := pick(h, h.want.open)
	if !ok {
		return
	}
	c := *h.want.open[id]
	took := agent.Usage{Tokens: agent.Tokens{InputTokens: h.between(0, c.prompt), OutputTokens: h.between(0, c.output)}}
	c.spent, c.spentMicros = c.spent.Add(took), c.spentMicros+historyPrice.Cost(took)
	c.prompt, c.output = h.between(1, 2000), h.between(1, 1000)
	h.ask(c)
}

// ask reserves, and checks the answer against what must come of it.
func (h *history) ask(c oracleCall) {
	h.t.Helper()
	last := h.want.open[c.run]
	c.tokens = c.spent.Total() + c.prompt + c.output
	c.micros = c.spentMicros + historyPrice.Cost(agent.Usage{Tokens: agent.Tokens{InputTokens: c.prompt, OutputTokens: c.output}})
	h.want.touch(c)
	h.want.open[c.run] = &c
	passed := h.want.passed(c)
	room, err := h.store.Reserve(h.t.Context(), agent.ReservationRequest{
		RunID: c.run, Epoch: h.runs[c.run].Epoch, Step: c.step, Model: "demo", Prompt: c.prompt, MinOutput: c.output, WantOutput: c.output,
		Spent: c.spent, SpentMicros: c.spentMicros, Price: historyPrice, Priced: true, Switched: true,
	})
	switch {
	case (err == nil) != (passed == ""):
		h.t.Fatalf("reserved with %v; passed is %q", err, passed)
	case err == nil && (!room.At.Equal(c.at) || room.Output != c.output):
		h.t.Fatalf("room %+v, want %s and %d", room, c.at, c.output)
	case err != nil && last == nil:
		delete(h.want.open, c.run)
	case err != nil: // what the tries before took stands, and is still held
		c.tokens, c.micros, c.prompt, c.output = last.tokens, last.micros, 0, 0
		h.want.open[c.run] = &c
	}
}
