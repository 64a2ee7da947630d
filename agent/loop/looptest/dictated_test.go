package looptest

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

// dictated is a model that makes the calls which the person's message lists,
// one list for each answer, and then says "done".
type dictated struct {
	*agenttest.Provider
	// onRequest hears of each request before it is answered.
	onRequest func()
}

// message is a person's message that dictates some answers.
func message(answers ...[]agent.CallRequest) string {
	text, err := json.Marshal(answers)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// Complete implements agent.Provider.
func (d *dictated) Complete(ctx context.Context, req agent.Request, sink func(agent.Delta) error) (agent.Completion, error) {
	if d.onRequest != nil {
		d.onRequest()
	}
	var answers [][]agent.CallRequest
	given := 0
	for _, m := range req.Messages {
		switch m.Role {
		case agent.FromUser:
			var list [][]agent.CallRequest
			if json.Unmarshal([]byte(m.Content), &list) == nil { // reminders are not lists
				answers, given = list, 0
			}
		case agent.FromAssistant:
			given++
		}
	}
	turn := agenttest.Turn{Text: "done"}
	if given < len(answers) {
		turn = agenttest.Turn{Calls: answers[given]}
	}
	// The scripted model refuses what a strict one would refuse.
	return agenttest.Script(turn).Complete(ctx, req, sink)
}

// people who decide, beside rex.
var (
	rey = agent.Viewer{UserID: "rey", Email: "rey@example.org", Role: agent.RoleReviewer}
	ada = agent.Viewer{UserID: "ada", Email: "ada@example.org", Role: agent.RoleAdmin}
)

// dictatedWorld is a world with such a model, and the tool mark, which is of high
// risk. set changes what every process starts with.
func dictatedWorld(t *testing.T, set func(w *world)) (*world, *dictated) {
	t.Helper()
	w := newWorld(t)
	model := &dictated{Provider: agenttest.Script()}
	w.tools.specs = append(w.tools.specs, agent.ToolSpec{Name: "mark", Effect: agent.EffectExec})
	w.onStart = func() {
		w.runner.Loop.Provider, w.runner.Loop.Counter = model, model
		if set != nil {
			set(w)
		}
	}
	w.onStart()
	return w, model
}

// staff adds people beside ana and rex.
func (w *world) staff(people ...agent.Viewer) {
	w.t.Helper()
	for _, v := range people {
		w.must(w.store.CreateUser(w.t.Context(), agent.User{ID: v.UserID, Email: v.Email, Role: v.Role, CreatedAt: w.clock.Now()}, "x"))
	}
}

// works lets a real runner advance all runs until the test ends. What goes wrong there is told
// with a test that fails.
func (w *world) works() {
	w.runner.Log = slog.New(slog.NewTextHandler(w.t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.runner.Run(ctx, 0)
	}()
	w.t.Cleanup(func() {
		cancel()
		<-done
	})
}

// rests waits until a run is over, or waits for a person or for its time.
func (w *world) rests(runID string) agent.Run {
	w.t.Helper()
	var run *agent.Run
	agenttest.Eventually(w.t, "the rest of run "+runID, func() bool {
		var err error
		run, err = w.store.Run(w.t.Context(), ada, runID)
		w.must(err)
		return run.Status.Ended() || run.Status == agent.StatusPaused || run.Status == agent.StatusQueued && run.WakeAt.After(w.clock.Now())
	})
	return *run
}

// talk makes a conversation and sends its first message.
func (w *world) talk(id, content string) (runID string) {
	w.t.Helper()
	w.must(w.store.CreateConversation(w.t.Context(), agent.Conversation{
		ID: id, OwnerID: ana.UserID, ApprovalMode: agent.ModeDefault, CreatedAt: w.clock.Now(), UpdatedAt: w.clock.Now(),
	}))
	done, err := w.service.Post(w.t.Context(), ana, service.Post{ConversationID: id, Content: content})
	w.must(err)
	return done.RunID
}

// cardsOf are all approvals of a run, oldest first.
func (w *world) cardsOf(runID string) []agent.Approval {
	w.t.Helper()
	snap, err := w.store.Snapshot(w.t.Context(), runID)
	w.must(err)
	return snap.Approvals
}
