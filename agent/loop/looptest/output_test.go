package looptest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// portionsOf are the text deltas of the newest message, as they were told.
func portionsOf(w *world) []string {
	var out []string
	for _, d := range find[agent.TextDelta](w.events()) {
		out = append(out, d.Delta)
	}
	return out
}

// ticking lets a screen frame pass before each delta, so that every portion is
// an event of its own.
type ticking struct {
	*agenttest.Provider
	clock *agenttest.Clock
}

func (p ticking) Complete(ctx context.Context, req agent.Request, sink func(agent.Delta) error) (agent.Completion, error) {
	return p.Provider.Complete(ctx, req, func(d agent.Delta) error {
		p.clock.Advance(time.Second)
		return sink(d)
	})
}

// TestOutputModes: in portions of sentences or whole, an answer loses nothing,
// and marks in numbers, abbreviations and code end no sentence.
func TestOutputModes(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		mode agent.OutputMode
		text string
		want []string
	}{
		"sentences":          {agent.OutputSentence, "It is 3.5 km. Go, e.g. by bus! Now?", []string{"It is 3.5 km.", " Go, e.g. by bus!", " Now?"}},
		"Chinese":            {agent.OutputSentence, "今天很热。真的？是的！好", []string{"今天很热。", "真的？", "是的！", "好"}},
		"lines":              {agent.OutputSentence, "1. First\n2. Second\nend", []string{"1. First\n", "2. Second\n", "end"}},
		"code by lines":      {agent.OutputSentence, "Run `go. vet ` now. Then:\n```\na. b! c\nd\n```\nDone. Bye", []string{"Run `go. vet ` now.", " Then:\n", "```\n", "a. b! c\n", "d\n", "```\n", "Done.", " Bye"}},
		"names and versions": {agent.OutputSentence, "Dr. A. Smith uses v1.2.3 of it. Yes.", []string{"Dr. A. Smith uses v1.2.3 of it.", " Yes."}},
		"whole":              {agent.OutputWhole, "One. Two. Three.", []string{"One. Two. Three."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, agenttest.Turn{Text: tc.text})
			_, err := w.store.UpdateConversation(t.Context(), ana, "c", agent.ConversationPatch{OutputMode: &tc.mode})
			w.must(err)
			w.runner.Loop.Provider = ticking{w.model, w.clock}
			w.post("go")
			got := portionsOf(w)
			if strings.Join(got, "") != tc.text {
				t.Errorf("told %q of %q", strings.Join(got, ""), tc.text)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("portions (-want +got):\n%s", diff)
			}
			w.soundHistory()
		})
	}
}

// TestOutputModeOfThePerson holds where the conversation sets none.
func TestOutputModeOfThePerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Turn{Text: "One. Two.", Retried: 1})
	w.must(w.store.SetOutputMode(t.Context(), ana.UserID, agent.OutputWhole))
	w.post("go")
	if got := portionsOf(w); len(got) != 1 || got[0] != "One. Two." {
		t.Errorf("told in portions %q; what a retry voids was held and is not told", got)
	}
}

// TestHeldTextStandsBeforeCalls: what is held is told before a call is.
func TestHeldTextStandsBeforeCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Turn{Text: "I look", Calls: []agent.CallRequest{agenttest.Call("a", "look", "{}")}}, agenttest.Turn{Text: "Done"})
	mode := agent.OutputSentence
	_, err := w.store.UpdateConversation(t.Context(), ana, "c", agent.ConversationPatch{OutputMode: &mode})
	w.must(err)
	w.post("go")
	text, call := -1, -1
	for i, e := range w.events() {
		switch e.Data.(type) {
		case agent.TextDelta:
			if text < 0 {
				text = i
			}
		case agent.ToolCallStart:
			call = i
		}
	}
	if text < 0 || call < text {
		t.Errorf("text at %d, call at %d", text, call)
	}
	w.soundHistory()
}

// mute refuses what calls show while they run.
type mute struct{ agent.Journal }

func (j mute) Append(ctx context.Context, e agent.Change) (agent.Committed, error) {
	for _, event := range e.Events {
		if _, shows := event.Data.(agent.ToolResultDelta); shows {
			return agent.Committed{}, agent.Errorf(agent.Unavailable, "The disk is full.")
		}
	}
	return j.Journal.Append(ctx, e)
}

// TestResultOutlastsItsOutput: what a call has done is known, also where the output that it
// showed meanwhile could not be written.
func TestResultOutlastsItsOutput(t *testing.T) {
	t.Parallel()
	w, _ := dictatedWorld(t, nil)
	w.tools.do["mark"] = func(_ context.Context, in agent.ToolInput) agent.ToolResult {
		in.Progress("half")
		return agent.ToolResult{Content: "marked"}
	}
	run, card := markOnce(w, `{"x":1}`)
	w.decide(rex, card.ID, approves())
	w.runner.Loop.Journal = mute{w.store}
	now := w.advance(run.ID)
	if m := w.soundHistory(); now.Status != agent.StatusFinished || m[2].Content != "marked" {
		t.Errorf("run %s, the model reads %q", now.Status, m[2].Content)
	}
}
