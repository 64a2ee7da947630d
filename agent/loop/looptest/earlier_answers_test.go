package looptest

import (
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// TestSameAnswerOverRuns: a model that answers different messages of a chat with the same
// text is told so. The same question may have the same answer, a call in between is
// progress, and thanks may be returned often.
func TestSameAnswerOverRuns(t *testing.T) {
	t.Parallel()
	const stuck = "I have checked everything and it should work now."
	said := func(texts ...string) (turns []agenttest.Turn) {
		for _, text := range texts {
			turns = append(turns, agenttest.Turn{Text: text})
		}
		return turns
	}
	for name, tc := range map[string]struct {
		questions []string
		turns     []agenttest.Turn
		warned    bool
	}{
		"different questions":    {[]string{"fix it", "it still fails", "look again"}, said(stuck, stuck, stuck), true},
		"asked to go on":         {[]string{"Continue", "continue.", "continue"}, said(stuck, stuck, stuck), true},
		"in Chinese":             {[]string{"修一下", "继续", "继续"}, said("我已经检查过了，现在应该可以正常运行。", "我已经检查过了，现在应该可以正常运行。", "好"), true},
		"the same question":      {[]string{"hello there", "Hello there!", "hello there"}, said(stuck, stuck, stuck), false},
		"another answer between": {[]string{"fix it", "it fails", "look again"}, said(stuck, "Now I see what is wrong there.", stuck), false},
		"short":                  {[]string{"thanks", "well done", "great"}, said("You're welcome!", "You're welcome!", "You're welcome!"), false},
		"a call in between": {[]string{"fix it", "it still fails", "look again"}, append(said(stuck),
			calling(1, "look", true)[0], agenttest.Turn{Text: stuck}, agenttest.Turn{Text: stuck}), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tc.turns...)
			for _, q := range tc.questions {
				if run := w.post(q); run.Status != agent.StatusFinished {
					t.Fatalf("%q: the run is %s", q, run.Status)
				}
			}
			trips := find[agent.GuardEvent](w.events())
			requests := w.model.Requests()
			told := strings.Contains(reminderOf(requests[len(requests)-1]), "[System reminder]")
			if (len(trips) == 1 && trips[0].Detector == "repeated_answer" && trips[0].Count == 2) != tc.warned || told != tc.warned {
				t.Errorf("guard events: %+v, reminded: %t", trips, told)
			}
		})
	}
}
