package mcp

import (
	"context"
	"errors"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"fusebox/agent"
)

var (
	errOver   = errors.New("the run has ended")
	errWaited = errors.New("the call has waited long enough")
)

// waiting follows a run for a call.
type waiting struct {
	runID string
	link  func(string) string
	// tell reports progress.
	tell func(said string)
	last string
	// tools are the names of tools, by call.
	tools map[string]string
	// hold ends the wait some time after the run has begun to wait for a person, unless
	// goOn is called.
	hold func() (goOn func())
	goOn func()
}

// wait returns when the run ends, when it waits for a person for a while, when the call
// is cancelled, or when it has waited long enough.
func (s *Server) wait(ctx, ended context.Context, c call, run asked) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer context.AfterFunc(ended, func() { end(errHungUp) })()
	ctx, stop := agent.WithTimeout(ctx, s.Log.Clock, maxWait, errWaited)
	defer stop()
	w := &waiting{runID: run.runID, last: "Waits for the run", link: c.link, tell: c.reporter(ctx), tools: map[string]string{}, goOn: func() {}}
	w.hold = func() func() {
		held, goOn := agent.WithTimeout(ctx, s.Log.Clock, pauseWait, errWaited)
		context.AfterFunc(held, func() {
			if errors.Is(context.Cause(held), errWaited) {
				end(errWaited)
			}
		})
		return goOn
	}
	if run.paused {
		w.goOn = w.hold()
	}
	log := s.Log.Reader(run.conversationID, run.after, true)
	log.Beat = w.beat
	if err := log.Follow(ctx, true, w.see); err != nil && !errors.Is(err, errOver) && ctx.Err() == nil {
		s.Logger.Debug("a call stopped following its run", "run_id", run.runID, "error", err)
	}
}

// reporter sends progress to the client that follows the call. Where it does not arrive, the call's
// answer says the same.
func (c call) reporter(ctx context.Context) func(string) {
	if c.progress == nil {
		return func(string) {}
	}
	n := 0.0
	return func(said string) {
		n++
		_ = c.session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: c.progress, Progress: n, Message: said})
	}
}

// beat says that the call is alive, so that nobody gives it up.
func (w *waiting) beat() error {
	w.tell(w.last)
	return nil
}

// see takes events of the conversation; errOver once the run has ended.
func (w *waiting) see(events []agent.Event) error {
	for _, e := range events {
		if e.RunID != w.runID && !asksBelow(e) {
			continue
		}
		if said := w.told(e); said != "" {
			w.last = said
			w.tell(said)
		}
		if _, over := e.Data.(agent.Finish); over {
			return errOver
		}
	}
	return nil
}

// asksBelow reports whether an event of a child run is about what people decide: a
// conversation has one tree at work.
func asksBelow(e agent.Event) bool {
	switch d := e.Data.(type) {
	case agent.RunPaused:
		return e.ParentRunID != "" && len(d.ApprovalIDs) > 0
	case agent.ApprovalRequestedEvent, agent.RunResumed:
		return e.ParentRunID != ""
	default:
		return false
	}
}

// told is an event in words for the client that follows a call, or "".
func (w *waiting) told(e agent.Event) string {
	switch d := e.Data.(type) {
	case agent.StepStart:
		return fmt.Sprintf("Step %d", e.Step)
	case agent.ToolCallStart:
		w.tools[d.ToolCallID] = d.ToolName
	case agent.ToolCallStateEvent:
		name := w.tools[d.ToolCallID]
		if name != "" && d.State == agent.CallExecuting {
			return "Runs " + name
		}
		if d.State.Ended() {
			delete(w.tools, d.ToolCallID)
		}
	case agent.ApprovalRequestedEvent:
		return "Waits for an approval: " + w.link(cardPath+d.ApprovalID)
	case agent.RunPaused:
		if len(d.ApprovalIDs) == 0 && len(d.Children) > 0 {
			return "Waits for other agents"
		}
		w.goOn()
		w.goOn = w.hold()
	case agent.RunResumed:
		w.goOn()
		return "Goes on: " + d.By + " has decided"
	case agent.RetryEvent:
		if d.Attempt == 0 {
			return "Waits: " + d.Message
		}
		return fmt.Sprintf("Asks the model again (%d of %d): %s", d.Attempt, d.MaxAttempts, d.Message)
	case agent.GuardEvent:
		return "Breaker " + d.Detector + ": " + d.Message
	}
	return ""
}
