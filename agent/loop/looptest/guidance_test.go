package looptest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// typed is a card, and a decision on it with words for the model.
type typed struct {
	turns  []agenttest.Turn
	setup  func(w *world)
	decide func(w *world)
	// ends says that the run ends by the decision; result that a call's result has the words.
	ends, result bool
	by           string
}

var spare = "Mind the spare tyre."

// typedOn are cards of every kind, each with words of a person.
var typedOn = map[string]typed{
	"a loop goes on": {turns: calling(8, "look", false), decide: func(w *world) {
		w.decide(ana, w.card().ID, agent.Decision{Verb: agent.DecideResume, Comment: spare})
	}, by: ana.Email},
	"more calls are allowed": {turns: calling(8, "look", false), decide: func(w *world) {
		w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideResume, Answer: agent.ResumeAllowMore, Comment: spare})
	}, by: rex.Email},
	"wrap up": {turns: calling(8, "look", false), decide: func(w *world) {
		w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideResume, Answer: agent.ResumeFinishNow, Comment: spare})
	}, by: rex.Email},
	"a call is approved": {turns: []agenttest.Turn{shell("ls")}, decide: func(w *world) {
		w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideApprove, Comment: spare})
	}, by: rex.Email},
	"a call is edited": {turns: []agenttest.Turn{shell("ls")}, decide: func(w *world) {
		w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideEdit, Args: json.RawMessage(`{"command":"ls -a"}`), Comment: spare})
	}, by: rex.Email},
	"a call is edited by one and approved by another": {turns: []agenttest.Turn{shell("rm -rf build")}, setup: func(w *world) { w.addPeople(ria) }, decide: func(w *world) {
		w.decide(ria, w.card().ID, agent.Decision{Verb: agent.DecideEdit, Args: json.RawMessage(`{"command":"rm -rf build/a"}`), Comment: spare})
		w.decide(rex, w.card().ID, approve)
	}, by: ria.Email},
	"the first of two who approve": {turns: []agenttest.Turn{shell("rm -rf build")}, setup: func(w *world) { w.addPeople(ria) }, decide: func(w *world) {
		w.decide(ria, w.card().ID, agent.Decision{Verb: agent.DecideApprove, Comment: spare})
		w.decide(rex, w.card().ID, approve)
	}, by: ria.Email},
	"a call is refused": {turns: []agenttest.Turn{shell("ls")}, decide: func(w *world) {
		w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideReject, Comment: spare})
	}, result: true},
	"the run is refused": {turns: calling(1, "look", false), setup: onRunCard, decide: func(w *world) {
		w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideReject, Comment: spare})
	}, ends: true, by: rex.Email},
	"the run goes on": {turns: calling(1, "look", false), setup: onRunCard, decide: func(w *world) {
		w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideResume, Comment: spare})
	}, by: rex.Email},
	"the run is aborted": {turns: calling(8, "look", false), decide: func(w *world) {
		w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideAbort, Comment: spare, ByProgram: true})
	}, ends: true, by: rex.Email},
	"the run is taken over": {turns: calling(8, "look", false), decide: func(w *world) {
		w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideTakeover, Answer: "It is red.", Comment: spare})
	}, ends: true, by: rex.Email},
	"two of one answer": {turns: []agenttest.Turn{{Calls: append(shell("ls").Calls, shell("pwd").Calls...)}}, decide: func(w *world) {
		cards, _, err := w.store.Approvals(w.t.Context(), rex, agent.ApprovalFilter{Status: agent.ApprovalPending}, agent.Page{})
		w.must(err)
		for _, a := range cards {
			w.decide(rex, a.ID, agent.Decision{Verb: agent.DecideApprove, Comment: spare})
		}
	}, by: rex.Email},
	"a budget is raised": {turns: calling(1, "look", false), setup: func(w *world) { w.service.Limits.Tokens = 100 }, decide: func(w *world) {
		w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideApprove, RaiseTokensBy: 100_000, Comment: spare})
	}, by: rex.Email},
	"a budget is not raised": {setup: func(w *world) { w.service.Limits.Tokens = 100 }, decide: func(w *world) {
		w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideReject, Comment: spare})
	}, ends: true, by: rex.Email},
}

// onRunCard has the next run ask about itself: its model repeats a sentence.
func onRunCard(w *world) {
	w.model = agenttest.Script(agenttest.Turn{Text: strings.Repeat("I am going in circles, and say this once more. ", 60)})
	w.runner.Loop.Provider, w.runner.Loop.Counter = w.model, w.model
}

// TestTypedWordsStay: what a person types on a card is in each later request of the chat,
// once, as theirs; also after a restart and in later runs.
func TestTypedWordsStay(t *testing.T) {
	t.Parallel()
	for name, tc := range typedOn {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tc.turns...)
			if tc.setup != nil {
				tc.setup(w)
			}
			run := w.post("Check the car.")
			before := len(w.model.Requests())
			tc.decide(w)
			w.restart()
			if run = w.advance(run.ID); !run.Status.Ended() {
				t.Fatalf("the run is %s", run.Status)
			}
			w.restart()
			w.service.Limits.Tokens = 200_000
			w.post("And the bike?")
			w.post("And the boat?")
			later := w.model.Requests()[before:]
			if want := 3; !tc.ends && len(later) < want || tc.ends && len(later) != want-1 {
				t.Fatalf("%d later requests", len(later))
			}
			for i, r := range later {
				if n := timesSaid(r); n != 1 {
					t.Errorf("request %d has the words %d times", i+1, n)
				}
			}
			w.tellsWhoSaid(tc)
		})
	}
}

func timesSaid(r agent.Request) (n int) {
	for _, m := range r.Messages {
		n += strings.Count(m.Content, strings.TrimSuffix(spare, "."))
	}
	return n
}

// tellsWhoSaid checks that the stored history has the words once, with who typed them.
func (w *world) tellsWhoSaid(tc typed) {
	w.t.Helper()
	history := w.soundHistory()
	said := slices.DeleteFunc(slices.Clone(history), func(m agent.Message) bool { return !m.Guides() })
	switch {
	case tc.result && len(said) > 0:
		w.t.Errorf("beside the result stands %+v", said)
	case !tc.result && (len(said) != 1 || said[0].SaidBy != tc.by || said[0].Content != spare):
		w.t.Errorf("the history has %+v, want %q by %s", said, spare, tc.by)
	}
	if told := len(find[agent.MessageEvent](w.events())); told != len(history) {
		w.t.Errorf("%d messages were told, %d are there", told, len(history))
	}
}

// TestEditStays: a model is told in each later request with which arguments its call ran.
func TestEditStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shell("ls"))
	run := w.post("look")
	w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideEdit, Args: json.RawMessage(`{"command":"ls -a"}`)})
	w.advance(run.ID)
	w.post("and now?")
	for i, r := range w.model.Requests()[1:] {
		if m := r.Messages[3]; m.Role != agent.FromUser || !strings.Contains(m.Content, "changed the arguments of run_shell before it ran. It was executed with {\"command\":\"ls -a\"}") {
			t.Errorf("request %d goes on with %s %q", i+2, m.Role, m.Content)
		}
	}
}

// TestTypedWordsOutlastCompaction: they stay word for word where a summary takes the place
// of the messages around them.
func TestTypedWordsOutlastCompaction(t *testing.T) {
	t.Parallel()
	w := tightWorld(t, append([]agenttest.Turn{shell("ls")}, calling(6, "look", true)...)...)
	run := w.post("Look often.")
	w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideApprove, Comment: spare})
	if run = w.advance(run.ID); run.Status != agent.StatusFinished {
		t.Fatalf("the run is %s (%s)", run.Status, run.StopReason)
	}
	asked, others := summaries(w.model.Requests())
	last := others[len(others)-1]
	if len(asked) == 0 || !strings.HasPrefix(last.Messages[0].Content, "[Summary") {
		t.Fatalf("%d summaries were asked for", len(asked))
	}
	last.Messages = last.Messages[1:]
	if n := timesSaid(last); n != 1 {
		t.Errorf("behind the summary the words are there %d times", n)
	}
}
