package looptest

import (
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

func down() agenttest.Turn {
	return agenttest.Turn{Text: "Half an ans", Err: &agent.ProviderError{Status: 503, Message: "Down.", Retryable: true, Attempts: 11}}
}

// TestTryAgain: a run whose model was out of reach continues where it stopped:
// what was done is not done again, and the text that broke off is not shown to
// the model, nor doubled.
func TestTryAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, append(calling(1, "save", false), down(), down(), agenttest.Turn{Text: "A whole answer."})...)
	run := w.post("save it")
	if run.Status == agent.StatusPaused {
		w.decide(ana, w.card().ID, agent.Decision{Verb: agent.DecideApprove})
		run = w.advance(run.ID)
	}
	for range 2 { // the first try fails as well
		if run.Status != agent.StatusFailed {
			t.Fatalf("run %s (%s)", run.Status, run.StopReason)
		}
		done, err := w.service.Retry(t.Context(), ana, run.ID)
		w.must(err)
		run = w.advance(done.RunID)
	}
	if run.Status != agent.StatusFinished || w.tools.executed("save") != 1 {
		t.Errorf("run %s (%s), saved %d times", run.Status, run.StopReason, w.tools.executed("save"))
	}
	messages := w.soundHistory()
	if n := len(messages); n != 4 || messages[3].Content != "A whole answer." {
		t.Errorf("%d messages, the last one %q", n, messages[n-1].Content)
	}
	for _, r := range w.model.Requests() {
		for _, m := range r.Messages {
			if m.Content == "Half an ans" {
				t.Error("the model gets to see its own half answer")
			}
		}
	}
}

// TestTryAgainIsRefused where nothing failed, where the conversation has gone
// on, while a run is active, and to others.
func TestTryAgainIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, down(), agenttest.Turn{Text: "fine"})
	failed := w.post("one")
	try := func(v agent.Viewer, id string) agent.Code {
		_, err := w.service.Retry(t.Context(), v, id)
		return agent.CodeOf(err)
	}
	if got := try(rex, failed.ID); got != agent.NotFound {
		t.Errorf("a stranger: %q", got)
	}
	good := w.post("two")
	if got := try(ana, good.ID); got != agent.Conflict {
		t.Errorf("a run that did not fail: %q", got)
	}
	if got := try(ana, failed.ID); got != agent.Conflict {
		t.Errorf("a conversation that has gone on: %q", got)
	}
	w = newWorld(t, down(), down())
	failed = w.post("one")
	if got := try(ana, failed.ID); got != "" {
		t.Errorf("the first click: %q", got)
	}
	if got := try(ana, failed.ID); got != agent.Conflict {
		t.Errorf("the second click: %q", got)
	}
}

// TestTryAgainBehindTwoAnswers: an answer that was cut, and whose continuation
// broke off, is made again from the message before both.
func TestTryAgainBehindTwoAnswers(t *testing.T) {
	t.Parallel()
	chant := agenttest.Turn{Text: "A start. " + strings.Repeat("I will look at the file again and again now. ", 60)}
	w := newWorld(t, chant, down(), agenttest.Turn{Text: "A whole answer."})
	run := w.post("say it")
	w.decide(ana, w.card().ID, resume(agent.ResumePlain, 0))
	run = w.advance(run.ID)
	done, err := w.service.Retry(t.Context(), ana, run.ID)
	w.must(err)
	run = w.advance(done.RunID)
	messages := w.soundHistory()
	if last := messages[len(messages)-1].Content; run.Status != agent.StatusFinished || last != "A whole answer." {
		t.Errorf("run %s (%s), the last message is %q", run.Status, run.StopReason, last)
	}
}

// TestTryAgainKeepsADeletedAgent: whoever deletes an agent does not give its runs more rights.
func TestTryAgainKeepsADeletedAgent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, down(), agenttest.Turn{Text: "Looked."})
	w.addAgent(agent.Agent{Name: "scout", Purpose: "Looks.", Instructions: "I am scout.", Tools: []string{"look"}, Limits: agent.AgentLimits{Steps: 3}})
	posted, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "Look.", Agent: "scout"})
	w.must(err)
	failed := w.advance(posted.RunID)
	w.must(w.store.DeleteAgent(t.Context(), rex, "scout"))
	done, err := w.service.Retry(t.Context(), ana, failed.ID)
	w.must(err)
	run := w.advance(done.RunID)
	if run.Status != agent.StatusFinished || run.Agent != "scout" || run.AgentVersion != 1 || run.Limits.Steps != 3 {
		t.Errorf("run %s (%s) of %q, version %d, with %d steps", run.Status, run.StopReason, run.Agent, run.AgentVersion, run.Limits.Steps)
	}
	requests := w.model.Requests()
	if tools := requests[len(requests)-1].Tools; len(tools) != 1 || tools[0].Name != "look" {
		t.Errorf("it has the tools %+v", tools)
	}
}
