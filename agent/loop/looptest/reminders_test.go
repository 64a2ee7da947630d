package looptest

import (
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

// reminderOf is the reminder in a request, "" for none.
func reminderOf(r agent.Request) string {
	last := r.Messages[len(r.Messages)-1]
	if last.Role != agent.FromUser || !strings.HasPrefix(last.Content, "[System reminder]") {
		return ""
	}
	return last.Content
}

// TestRemindedAsLongAsTheStreakLasts: each request of a streak has its reminder with the
// newest count, through a pause and beyond it, and the request after its end has none.
func TestRemindedAsLongAsTheStreakLasts(t *testing.T) {
	t.Parallel()
	other := agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("other", "look", `{"path":"elsewhere"}`)}}
	w := newWorld(t, append(calling(8, "look", false), other, agenttest.Turn{Text: "Done."})...)
	run := w.post("look at it")
	if card := w.card(); run.Status != agent.StatusPaused || card.Kind != agent.KindLoop {
		t.Fatalf("the run is %s", run.Status)
	}
	w.decide(ana, w.card().ID, agent.Decision{Verb: agent.DecideResume})
	w.advance(run.ID)
	for i, want := range []string{"", "", "", "", "", "5 times", "6 times", "7 times", "8 times"} {
		got := reminderOf(w.model.Requests()[i])
		if (want == "") != (got == "") || !strings.Contains(got, want) || strings.Count(got, "[System reminder]") > 1 {
			t.Errorf("request %d has the reminder %q, not one with %q", i+1, got, want)
		}
	}
	if got := reminderOf(w.model.Requests()[9]); got != "" {
		t.Errorf("after the streak the model is reminded: %q", got)
	}
}

// TestRemindedInTheLanguageOfTheChat: who asks in Chinese has a model that is reminded in it.
func TestRemindedInTheLanguageOfTheChat(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"查询香港的天气，不查出来不能停":     "你已连续 5 次以相同的参数调用 look",
		"look until you know": "look was called 5 times",
	} {
		w := newWorld(t, append(calling(6, "look", false), agenttest.Turn{Text: "Done."})...)
		if _, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: question}); err != nil {
			t.Fatal(err)
		}
		w.advance(w.activeRun())
		if got := reminderOf(w.model.Requests()[5]); !strings.Contains(got, want) {
			t.Errorf("%s: reminded by %q", question, got)
		}
	}
}

// activeRun is the id of the conversation's run that has not ended.
func (w *world) activeRun() string {
	w.t.Helper()
	run, err := w.store.ActiveRun(w.t.Context(), "c")
	w.must(err)
	return run.ID
}

// TestRemindedOfTheEnd: from the warning about its steps on, a run is told in each request.
func TestRemindedOfTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, append(calling(9, "look", true), agenttest.Turn{Text: "Done."})...)
	w.service.Guards.MaxSteps = 10
	w.post("look around")
	requests := w.model.Requests()
	for i := range requests {
		got := reminderOf(requests[i])
		if told := strings.Contains(got, "of 10 model calls"); told != (i >= 8) || strings.Count(got, "[System reminder]") > 1 {
			t.Errorf("request %d has the reminder %q", i+1, got)
		}
	}
}
