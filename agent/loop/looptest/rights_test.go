package looptest

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// shares has ben own the documents of the library that are named, in a collection which is open to
// everybody, or to nobody else.
func (w *world) shares(names ...string) (openTo func(agent.Visibility)) {
	w.t.Helper()
	ctx := w.t.Context()
	house := agent.Collection{ID: "house", OwnerID: "ben", Name: "House", Visibility: agent.VisibleEverybody, Access: agent.RightWrite}
	w.must(w.store.CreateUser(ctx, agent.User{ID: "ben", Email: "ben@example.org", Role: agent.RoleUser, CreatedAt: w.clock.Now()}, "x"))
	w.must(w.store.CreateCollection(ctx, house))
	for _, name := range names {
		w.must(w.store.MoveDocument(ctx, ana.UserID, "d"+name, house.ID))
	}
	return func(v agent.Visibility) {
		w.t.Helper()
		house.Visibility = v
		w.must(w.store.UpdateCollection(ctx, "ben", house))
	}
}

// TestSourcesOfAgentsAreClosed: what an agent hands back names no document that is closed since, nor
// does what is read of it by part; its words stay, and so do its other sources.
func TestSourcesOfAgentsAreClosed(t *testing.T) {
	t.Parallel()
	reads := agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("r", agent.ReadResultTool, `{"runId":"the hand's"}`)}}
	saves := func(id string) agenttest.Turn {
		return agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call(id, "save", `{"text":"`+id+`"}`)}}
	}
	w := newLibrary(t, map[string][]agenttest.Turn{"hand": {searches("pump", "valve"), {Text: "Ask Ada [1, 2, 3]."}}},
		handTo("hand"), saves("a"), reads, saves("b"), agenttest.Turn{Text: "Ask Ada [1] [2] [3]."})
	w.tools.do[agent.ReadResultTool] = w.readsResult(realTools(t), 0)
	openTo := w.shares("Pump", "Valve")
	run := w.post("Whom do I ask?")
	shows := func(names ...string) {
		t.Helper()
		for _, shown := range w.shown() {
			if strings.HasPrefix(shown, "[From") {
				for _, name := range []string{"Pump", "Strainer", "Valve"} {
					if got, want := strings.Contains(shown, name+".md"), strings.Contains(strings.Join(names, " "), name); got != want {
						t.Errorf("the model is shown %s: %t, want %t: %s", name, got, want, shown)
					}
				}
				if !strings.Contains(shown, "Ask Ada [1][2][3].") {
					t.Errorf("the model is shown %s", shown)
				}
			}
		}
	}
	shows("Pump", "Strainer", "Valve")
	openTo(agent.VisiblePrivate)
	w.restart()
	w.decide(rex, w.card().ID, approve)
	w.advance(run.ID)
	shows("Strainer")
	openTo(agent.VisibleEverybody)
	w.decide(rex, w.card().ID, approve)
	w.advance(run.ID)
	shows("Pump", "Strainer", "Valve")
}

// rightsAsked counts how often a run asks for rights.
type rightsAsked struct {
	agent.Journal
	n *atomic.Int64
}

func (j rightsAsked) CallDocuments(ctx context.Context, conversationID string) ([]agent.CallDocument, error) {
	j.n.Add(1)
	return j.Journal.CallDocuments(ctx, conversationID)
}

// TestRightsAreAskedOfDocumentsAlone: steps of a run ask for rights once what it has read may be of
// documents, one time each; other runs never do.
func TestRightsAreAskedOfDocumentsAlone(t *testing.T) {
	t.Parallel()
	look := agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("k", "look", `{}`)}}
	for name, row := range map[string]struct {
		turns []agenttest.Turn
		hand  []agenttest.Turn
		want  int64
	}{
		"no tool":             {[]agenttest.Turn{{Text: "Hello."}}, nil, 0},
		"a page":              {[]agenttest.Turn{readsPage, look, {Text: "4 percent [1]."}}, nil, 0},
		"an agent and a page": {[]agenttest.Turn{handTo("hand"), look, {Text: "So it says."}}, []agenttest.Turn{readsPage, {Text: "4 percent [1]."}}, 0},
		"a document":          {[]agenttest.Turn{searches("pump"), look, {Text: "The pump [1]."}}, nil, 2},
		"a document of an agent": {
			[]agenttest.Turn{handTo("hand"), look, {Text: "So it says."}}, []agenttest.Turn{searches("pump"), {Text: "The pump [1]."}}, 3,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newLibrary(t, map[string][]agenttest.Turn{"hand": row.hand}, row.turns...)
			var asked atomic.Int64
			w.runner.Loop.Journal = rightsAsked{w.store, &asked}
			w.post("Look.")
			if got := asked.Load(); got != row.want {
				t.Errorf("rights were asked for %d times, want %d", got, row.want)
			}
		})
	}
}
