package looptest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

// steer says something to a run at work.
func (w *world) steer(runID, text string) agent.QueuedItem {
	w.t.Helper()
	done, err := w.service.Steer(w.t.Context(), ana, runID, service.Post{Content: text, ClientID: text})
	w.must(err)
	return done
}

// said are the places of what steered the run, by its text: the roles before it and behind it.
func (w *world) said(text string) string {
	w.t.Helper()
	history := w.soundHistory()
	var at []string
	for i, m := range history {
		if m.Content != text {
			continue
		}
		if !m.Steered || m.Role != agent.FromUser || m.SaidBy != ana.Email {
			w.t.Errorf("it is stored as %+v", m)
		}
		behind := "nothing"
		if i+1 < len(history) {
			behind = string(history[i+1].Role)
		}
		at = append(at, string(history[i-1].Role)+" – "+behind)
	}
	return strings.Join(at, ", ")
}

var threeSaves = agenttest.Turn{Calls: []agent.CallRequest{
	agenttest.Call("1", "save", `{"n":1}`), agenttest.Call("2", "save", `{"n":2}`), agenttest.Call("3", "save", `{"n":3}`),
}}

// newSavingWorld is a world in which save runs unasked, and does something the first time.
func newSavingWorld(t *testing.T, do func(w *world, runID string), turns ...agenttest.Turn) *world {
	t.Helper()
	w := newWorld(t, turns...)
	mode := agent.ModeYolo
	_, err := w.store.UpdateConversation(t.Context(), ana, "c", agent.ConversationPatch{ApprovalMode: &mode})
	w.must(err)
	w.tools.do["save"] = func(_ context.Context, in agent.ToolInput) agent.ToolResult {
		if in.CallID == "1" {
			do(w, in.RunID)
		}
		return agent.ToolResult{Content: "saved"}
	}
	return w
}

// TestSteerComesBehindTheResults: the running call ends, those that have not begun are left out
// and say why, and the next request has the person's words behind all results. What was taken
// back is not in it, nor what waits for its turn.
func TestSteerComesBehindTheResults(t *testing.T) {
	t.Parallel()
	w := newSavingWorld(t, func(w *world, runID string) {
		w.later("next")
		back := w.steer(runID, "use the first folder")
		w.steer(runID, "use the other folder")
		w.steer(runID, "use the other folder") // once more
		w.must(w.service.RemoveQueued(w.t.Context(), ana, "c", back.ID))
	}, threeSaves, agenttest.Turn{Text: "I will."})
	w.post("begin")
	if n := w.tools.executed("save"); n != 1 {
		t.Errorf("%d calls were made", n)
	}
	second := w.model.Requests()[1].Messages
	results, last := second[len(second)-4:len(second)-1], second[len(second)-1]
	for i, m := range results {
		skipped := strings.Contains(m.Content, "the person said something before this call began")
		if m.Role != agent.FromTool || skipped != (i > 0) || strings.Contains(m.Content, "folder") {
			t.Errorf("result %d is %s %q", i+1, m.Role, m.Content)
		}
	}
	if last.Role != agent.FromUser || last.Content != "use the other folder" {
		t.Errorf("the request ends with %s %q", last.Role, last.Content)
	}
	if got := w.said("use the other folder"); got != "tool – assistant" {
		t.Errorf("it stands between %s", got)
	}
	if got := w.asked(); !slices.Equal(got, []string{"begin", "next"}) {
		t.Errorf("asked was %q", got)
	}
}

// whileWriting has something done once, while the model writes its first answer.
func (w *world) whileWriting(do func()) {
	var once sync.Once
	w.runner.Loop.Streams = func(agent.GuardSettings, string, agent.DeltaKind) []agent.StreamGuard {
		once.Do(do)
		return nil
	}
}

// TestSteerBeforeTheEnd: what comes while the last answer is being written is taken up before
// the run ends; also where a tool was to end it.
func TestSteerBeforeTheEnd(t *testing.T) {
	t.Parallel()
	t.Run("answer", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, agenttest.Turn{Text: "Done already."}, agenttest.Turn{Text: "Yes."})
		done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "begin"})
		w.must(err)
		w.whileWriting(func() { w.steer(done.RunID, "and the tyre?") })
		if run := w.advance(done.RunID); run.Status != agent.StatusFinished || run.Steps != 2 {
			t.Errorf("the run is %s after %d steps", run.Status, run.Steps)
		}
		if got := w.said("and the tyre?"); got != "assistant – assistant" {
			t.Errorf("it stands between %s", got)
		}
	})
	t.Run("terminate", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("1", "end", `{}`)}}, agenttest.Turn{Text: "Yes."})
		end := w.tools.do["end"]
		w.tools.do["end"] = func(ctx context.Context, in agent.ToolInput) agent.ToolResult {
			w.steer(in.RunID, "and the tyre?")
			return end(ctx, in)
		}
		if run := w.post("begin"); run.Status != agent.StatusFinished || run.StopReason != agent.StopGoal || run.Steps != 2 {
			t.Errorf("the run is %s (%s) after %d steps", run.Status, run.StopReason, run.Steps)
		}
	})
}

// TestSteerAtALimit: a run without another step leaves what it has not heard at the head of the queue.
func TestSteerAtALimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Turn{Text: "Done already."}, agenttest.Turn{Text: "Yes."}, agenttest.Turn{Text: "Yes."})
	w.service.Guards.MaxSteps = 1
	done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "begin"})
	w.must(err)
	w.whileWriting(func() {
		w.later("next")
		w.steer(done.RunID, "and the tyre?")
	})
	if run := w.advance(done.RunID); run.Steps != 1 {
		t.Errorf("the run has %d steps", run.Steps)
	}
	if got := w.asked(); !slices.Equal(got, []string{"begin", "and the tyre?", "next"}) {
		t.Errorf("asked was %q", got)
	}
}

// TestSteerDuringACard: the card stays, the person's decision counts, and the words come behind it.
func TestSteerDuringACard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shell("ls"), agenttest.Turn{Text: "Yes."})
	run := w.post("begin")
	if done := w.steer(run.ID, "mind the tyre"); done.GoesIn != agent.AfterDecision {
		t.Errorf("it goes in %s", done.GoesIn)
	}
	if run = w.advance(run.ID); run.Status != agent.StatusPaused {
		t.Fatalf("the run is %s", run.Status)
	}
	w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideApprove})
	if run = w.advance(run.ID); run.Status != agent.StatusFinished || w.tools.executed("run_shell") != 1 {
		t.Errorf("the run is %s, %d commands ran", run.Status, w.tools.executed("run_shell"))
	}
	if got := w.said("mind the tyre"); got != "tool – assistant" {
		t.Errorf("it stands between %s", got)
	}
}

// TestSteerOfATree: what is said to a child goes to the root, behind what its children have come to.
func TestSteerOfATree(t *testing.T) {
	t.Parallel()
	w := newTree(t, map[string][]agenttest.Turn{"east": {{Calls: []agent.CallRequest{agenttest.Call("a", "look", `{}`)}}, {Text: "Nothing."}}},
		agenttest.Turn{Calls: []agent.CallRequest{delegateCall("1", "east", "Look east.")}}, agenttest.Turn{Text: "I heard."})
	var done agent.QueuedItem
	w.tools.do["look"] = func(_ context.Context, in agent.ToolInput) agent.ToolResult {
		done = w.steer(in.RunID, "look north")
		return agent.ToolResult{Content: "seen"}
	}
	run := w.post("What is to be seen?")
	if done.SteersRunID != run.ID || done.GoesIn != agent.AfterAgents || run.Status != agent.StatusFinished {
		t.Errorf("%+v, the root is %s", done, run.Status)
	}
	if got := w.said("look north"); got != "tool – assistant" {
		t.Errorf("it stands between %s", got)
	}
}

// TestSteerOutlastsCrashes: killed at any commit, the words stand once, behind the results.
func TestSteerOutlastsCrashes(t *testing.T) {
	t.Parallel()
	for after := range 6 {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			t.Parallel()
			w := newSavingWorld(t, func(w *world, runID string) { w.steer(runID, "use the other folder") }, threeSaves, agenttest.Turn{Text: "I will."})
			w.model.Stateless = true
			left := after
			w.onStart = func() {
				w.runner.Loop.Journal = &dyingJournal{Journal: w.store, left: &left, at: "use the other folder"}
			}
			w.onStart()
			done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "begin"})
			w.must(err)
			for range 10 {
				run, err := w.store.Claim(t.Context(), "test", 0)
				if agent.CodeOf(err) == agent.NotFound {
					break
				}
				w.must(err)
				if w.runner.Loop.Advance(t.Context(), run) != nil {
					w.restart()
				}
			}
			run := w.advance(done.RunID)
			if run.Status == agent.StatusPaused { // nobody knows what became of the call
				w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideReject})
				run = w.advance(done.RunID)
			}
			if got := w.said("use the other folder"); run.Status != agent.StatusFinished || got != "tool – assistant" || w.tools.executed("save") != 1 {
				t.Errorf("the run is %s, it stands between %s, %d calls were made", run.Status, got, w.tools.executed("save"))
			}
		})
	}
}

// dyingJournal takes some changes after what it waits for was said, and then none until the
// process is another one.
type dyingJournal struct {
	agent.Journal
	left *int
	at   string
	dead bool
}

func (j *dyingJournal) Append(ctx context.Context, e agent.Change) (agent.Committed, error) {
	snap, err := j.Snapshot(ctx, e.RunID)
	if err != nil {
		return agent.Committed{}, err
	}
	waits := slices.ContainsFunc(snap.Steers, func(m agent.QueuedMessage) bool { return m.Content == j.at })
	heard := slices.ContainsFunc(snap.Branch, func(m agent.Message) bool { return m.Content == j.at })
	if j.dead = j.dead || (waits || heard) && *j.left == 0; j.dead {
		*j.left = -1
		return agent.Committed{}, context.DeadlineExceeded
	}
	if waits || heard {
		*j.left--
	}
	return j.Journal.Append(ctx, e)
}

// TestSteerNeedsARunAtWork: what has ended, or is to end, hears nothing; nobody but its owner
// steers a run.
func TestSteerNeedsARunAtWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shell("ls"))
	run := w.post("begin")
	for v, want := range map[agent.Viewer]agent.Code{rex: agent.Forbidden, {UserID: "eve", Role: agent.RoleUser}: agent.NotFound} {
		if _, err := w.service.Steer(t.Context(), v, run.ID, service.Post{Content: "hi"}); agent.CodeOf(err) != want {
			t.Errorf("%s steers: %v", v.UserID, err)
		}
	}
	w.steer(run.ID, "heard by nobody")
	w.must(w.service.Abort(t.Context(), ana, run.ID))
	if _, err := w.service.Steer(t.Context(), ana, run.ID, service.Post{Content: "hi"}); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("a run that is to end is steered: %v", err)
	}
	w.advance(run.ID)
	if got, held := w.waiting(); !held || !slices.Equal(got, []string{"heard by nobody"}) {
		t.Errorf("there wait %q, held %v", got, held)
	}
}
