package looptest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// TestChantEvidence: an answer that degenerates is cut by the rule that sees it,
// and the card shows what repeats, how often, where, and what stood before.
func TestChantEvidence(t *testing.T) {
	t.Parallel()
	const good = "These are the results.\n"
	for _, tc := range []struct {
		name, chant string
		want        agent.LoopEvidence
		sentence    string
	}{
		{"a sentence", strings.Repeat("I say it again and again. ", 60), agent.LoopEvidence{Rule: "units", Count: 5, Threshold: 5, Text: "I say it again and again."}, "has repeated itself 5 times in a row"},
		{"a sum", strings.Repeat("2 + 2 = 4, ", 60), agent.LoopEvidence{Rule: "period", Count: 37, Threshold: 37, Text: "2 + 2 = 4,"}, "the same 11 characters 37 times in a row"},
		{"items", strings.Join(each(80, "- Item %d: look at the pull request and merge it\n"), ""),
			agent.LoopEvidence{Rule: "rising", Count: 41, Threshold: 30, Text: "- Item 41: look at the pull request and merge it"}, "41 lines in a row in which only counters change"},
		{"empty lines", strings.Repeat("\n", 900), agent.LoopEvidence{Rule: "white_space", Count: 600, Threshold: 600, Text: "(600 characters of white space)"}, "600 characters of white space"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, agenttest.Turn{Text: good + tc.chant})
			if run := w.post("go"); run.Status != agent.StatusPaused {
				t.Fatalf("run is %s, want paused", run.Status)
			}
			card := w.card()
			var ev agent.LoopEvidence
			w.must(json.Unmarshal(card.Evidence, &ev))
			before := strings.TrimRight(good, "\n")
			if ev.Place == nil || !strings.HasPrefix(ev.Place.Before, before) || ev.Place.At != len(ev.Place.Before) || ev.Place.At > len(good)+2 {
				t.Errorf("it begins at %+v, want behind %q", ev.Place, before)
			}
			ev.Place, tc.want.Detector, tc.want.Calls, tc.want.Also = nil, "chanting", []agent.EvidenceCall{}, []agent.AlsoTripped{}
			if diff := cmp.Diff(tc.want, ev); diff != "" {
				t.Error(diff)
			}
			if !strings.Contains(card.Message, tc.sentence) {
				t.Errorf("the card says %q, want %q", card.Message, tc.sentence)
			}
			w.soundHistory()
		})
	}
}

// TestCallThatChants: a call whose arguments say the same sentence again and again is cut
// while they are streamed, and not made. The card shows the sentence, and the text before
// the call stays.
func TestCallThatChants(t *testing.T) {
	t.Parallel()
	content := strings.Repeat(`I will write the next part now.\n`, 400)
	w := newWorld(t, agenttest.Turn{
		Text:  "I write it down.",
		Calls: []agent.CallRequest{agenttest.Call("c1", "save", `{"path":"a.txt"}`), agenttest.Call("c2", "save", `{"content":"`+content+`"}`)},
	}, agenttest.Turn{Text: "Done."})
	if run := w.post("go"); run.Status != agent.StatusPaused {
		t.Fatalf("run is %s, want paused", run.Status)
	}
	if n := w.tools.executed("save"); n != 0 {
		t.Errorf("%d calls were made", n)
	}
	card := w.card()
	var ev agent.LoopEvidence
	w.must(json.Unmarshal(card.Evidence, &ev))
	if ev.Rule != "arguments" || ev.Place != nil || !strings.Contains(ev.Text, "I will write the next part now.") {
		t.Errorf("%+v", ev)
	}
	if !strings.Contains(card.Message, "The arguments of a call have repeated") {
		t.Errorf("the card says %q", card.Message)
	}
	w.soundHistory()
}
