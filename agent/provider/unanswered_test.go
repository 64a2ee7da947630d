package provider

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/provider/streamtest"
)

// TestAnswersThatSayNothing: a model that only reasons is
// told and asked again, and its run never ends as if it had answered.
func TestAnswersThatSayNothing(t *testing.T) {
	t.Parallel()
	thought := streamtest.Answered(streamtest.Delta(`"reasoning_content":"I could look."`), streamtest.Delta(`"content":""`))
	inTags := streamtest.Answered(streamtest.Text("<think>I could look.</think>\n\n"))
	blank := streamtest.Answered(streamtest.Delta(`"reasoning_content":"I could look."`), streamtest.Text("\n\n"))
	full := streamtest.SSE(streamtest.Delta(`"reasoning_content":"I could look, and"`), streamtest.Finish("length"), streamtest.Done)
	filtered := streamtest.SSE(streamtest.Delta(`"reasoning_content":"I could"`), streamtest.Finish("content_filter"), streamtest.Done)
	for name, tc := range map[string]struct {
		answers []string
		told    []string // what the second request and those behind it end with
		ran     int
		fails   bool
	}{
		"reasoning, then an answer":  {[]string{thought}, []string{"You gave no answer"}, 0, false},
		"reasoning in tags":          {[]string{inTags}, []string{"You gave no answer"}, 0, false},
		"reasoning and blank text":   {[]string{blank}, []string{"You gave no answer"}, 0, false},
		"reasoning twice":            {[]string{thought, thought}, []string{"You gave no answer", "You gave no answer"}, 0, false},
		"reasoning to the last":      {[]string{thought, thought, thought}, []string{"You gave no answer", "You gave no answer"}, 0, true},
		"reasoning up to the limit":  {[]string{full}, []string{"Reason briefly"}, 0, false},
		"reasoning that is filtered": {[]string{filtered}, nil, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var answers []http.HandlerFunc
			for _, body := range tc.answers {
				answers = append(answers, raw(body))
			}
			s, srv := newStack(t, fixture{streamtest.Fixture{Tools: true}}, answers...)
			run := s.run("What is the weather in Rome?")
			if len(srv.requests()) != 1+len(tc.told) || len(s.tools.ran) != tc.ran {
				t.Fatalf("the run is %s after %d requests, want %d; %v ran", run.Status, len(srv.requests()), 1+len(tc.told), s.tools.ran)
			}
			for i, want := range tc.told {
				body := srv.requests()[1+i]
				if said := strings.Contains(body, "[System reminder]"); said != (want != "") || !strings.Contains(body, want) {
					t.Errorf("request %d does not say %q: %s", 2+i, want, brief(body[max(0, len(body)-900):]))
				}
			}
			s.wantEnd(run, tc.fails)
			s.acceptsMore(srv)
		})
	}
}

// wantEnd checks that a run has an answer, or has failed and can be retried; nothing of a call
// is shown as text.
func (s *fixtureStack) wantEnd(run *agent.Run, fails bool) {
	s.t.Helper()
	events, err := s.journal.Events(s.t.Context(), "c", 0, 10_000)
	must(s.t, err)
	var last, shown string
	for _, e := range events {
		switch d := e.Data.(type) {
		case agent.MessageEvent:
			last = d.Message.Content
		case agent.TextDelta:
			shown += d.Delta
		}
	}
	want := fmt.Sprint(agent.StatusFinished, agent.StopGoal, "Good.")
	if fails {
		want = fmt.Sprint(agent.StatusFailed, agent.StopProviderError)
	}
	if got := fmt.Sprint(run.Status, run.StopReason, last); !strings.HasPrefix(got, want) {
		s.t.Errorf("the run ended with %s, want %s", got, want)
	}
	if strings.Contains(shown, "tool_call") || strings.Contains(shown, "arg_key") {
		s.t.Errorf("shown: %s", shown)
	}
	if asked := slices.ContainsFunc(events, func(e agent.Event) bool { _, is := e.Data.(agent.ErrorEvent); return is }); asked != fails {
		s.t.Errorf("an error is told: %t", asked)
	}
	if run.State.FallbackUsed {
		s.t.Error("the answer was asked for in one piece")
	}
}
