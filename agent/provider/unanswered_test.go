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

// TestAnswersThatSayNothing: a model that only reasons, or writes calls that cannot be made, is
// told and asked again, and its run never ends as if it had answered.
func TestAnswersThatSayNothing(t *testing.T) {
	t.Parallel()
	thought := streamtest.Answered(streamtest.Delta(`"reasoning_content":"I could look."`), streamtest.Delta(`"content":""`))
	inTags := streamtest.Answered(streamtest.Text("<think>I could look.</think>\n\n"))
	blank := streamtest.Answered(streamtest.Delta(`"reasoning_content":"I could look."`), streamtest.Text("\n\n"))
	full := streamtest.SSE(streamtest.Delta(`"reasoning_content":"I could look, and"`), streamtest.Finish("length"), streamtest.Done)
	filtered := streamtest.SSE(streamtest.Delta(`"reasoning_content":"I could"`), streamtest.Finish("content_filter"), streamtest.Done)
	unknown := streamtest.Answered(streamtest.Text("<tool_call>rm\n<arg_key>path</arg_key>\n<arg_value>/</arg_value>\n</tool_call>"))
	half := streamtest.Answered(streamtest.Text("I will look.\n<minimax:tool_call>\n<invoke name=\"get_weather\">"))
	cut := streamtest.SSE(streamtest.Text(`<tool_call>{"name":"get_weather","arguments":{"city":"amber17 birch`), streamtest.Finish("length"), streamtest.Done)
	cutThought := streamtest.SSE(streamtest.Delta(`"reasoning_content":"So:\n<tool_call>get_time</tool_call>"`), streamtest.Finish("length"), streamtest.Done)
	inThought := streamtest.Answered(streamtest.Delta(`"reasoning_content":"I should look.\n<tool_call>\n<function=get_weather>\n<parameter=city>\nRome\n</parameter>\n</function>\n</tool_call>"`), streamtest.Delta(`"content":""`))
	for name, tc := range map[string]struct {
		answers []string
		told    []string // what the second request and those behind it end with
		ran     int
		fails   bool
	}{
		"reasoning, then an answer":         {[]string{thought}, []string{"You gave no answer"}, 0, false},
		"reasoning in tags":                 {[]string{inTags}, []string{"You gave no answer"}, 0, false},
		"reasoning and blank text":          {[]string{blank}, []string{"You gave no answer"}, 0, false},
		"reasoning twice":                   {[]string{thought, thought}, []string{"You gave no answer", "You gave no answer"}, 0, false},
		"reasoning to the last":             {[]string{thought, thought, thought}, []string{"You gave no answer", "You gave no answer"}, 0, true},
		"reasoning up to the limit":         {[]string{full}, []string{"Reason briefly"}, 0, false},
		"reasoning that is filtered":        {[]string{filtered}, nil, 0, true},
		"an unknown tool":                   {[]string{unknown}, []string{"no tool of that name"}, 0, false},
		"an unknown tool to the last":       {[]string{unknown, unknown, unknown}, []string{"no tool of that name", "no tool of that name"}, 0, true},
		"half a call, then a whole one":     {[]string{half, streamtest.Answered(streamtest.Text("<tool_call>get_time</tool_call>"))}, []string{"not whole", ""}, 1, false},
		"a call in the reasoning":           {[]string{inThought}, []string{""}, 1, false},
		"a call that the limit has cut":     {[]string{cut}, []string{"write it in parts"}, 0, false},
		"a call in reasoning that is cut":   {[]string{cutThought}, []string{"Reason briefly"}, 0, false},
		"reasoning, a call, reasoning":      {[]string{thought, inThought, thought}, []string{"You gave no answer", "", "You gave no answer"}, 1, false},
		"reasoning that is mixed with half": {[]string{thought, half, thought}, []string{"You gave no answer", "not whole"}, 0, true},
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
	events := s.journal.events
	var last, shown string
	for _, e := range events {
		switch d := e.Data.(type) {
		case agent.MessageEvent:
			last = d.Message.Content
		case agent.TextDelta:
			shown += d.Delta
		}
	}
	for i, e := range events {
		if n, is := e.Data.(agent.Notice); is && strings.Contains(n.Message, "Ask to continue") && !fails {
			s.t.Errorf("event %d asks a person to continue: %s", i, n.Message)
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
