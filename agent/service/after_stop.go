package service

import (
	"context"
	"errors"
	"time"

	"fusebox/agent"
)

// endWait bounds how long a request waits for a stopped run to end.
const endWait = 5 * time.Second

// supersede ends the conversation's run that is paused or waits, if there is one.
func (s *Messages) supersede(ctx context.Context, v agent.Viewer, conversationID string) error {
	run, err := s.Store.ActiveRun(ctx, conversationID)
	if agent.CodeOf(err) == agent.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if run.AbortBy == "" && run.Status != agent.StatusPaused && run.WakeAt.IsZero() {
		return agent.Errorf(agent.Conflict, "A run of this conversation is still working. Stop it, or wait until it finishes.")
	}
	if err := s.Runs.abort(ctx, v, run.ID); err != nil {
		return err
	}
	ended, err := s.awaitEnd(ctx, *run)
	if err == nil && !ended {
		err = agent.Errorf(agent.Unavailable, "The paused run did not end in time. Please send the message again.")
	}
	return err
}

// afterStop calls do, which answers with ErrActive while the conversation's run works. If that run was stopped a
// moment ago, it waits for its end and calls do again.
func (s *Messages) afterStop(ctx context.Context, conversationID string, do func() error) error {
	refused := do()
	if !errors.Is(refused, agent.ErrActive) {
		return refused
	}
	run, err := s.Store.ActiveRun(ctx, conversationID)
	switch {
	case agent.CodeOf(err) == agent.NotFound:
		return do() // it has ended meanwhile
	case err != nil:
		return err
	case run.AbortBy == "":
		return refused
	}
	if _, err := s.awaitEnd(ctx, *run); err != nil {
		return err
	}
	return do()
}

// awaitEnd waits up to endWait for a run that was told to end, and reports whether it has.
func (s *Messages) awaitEnd(ctx context.Context, run agent.Run) (ended bool, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for inTime := s.Clock.After(endWait); ; {
		left := s.Runner.Left(ctx, run.ID) // whoever lets go may be the one that had paused it
		switch active, err := s.Store.ActiveRun(ctx, run.ConversationID); {
		case agent.CodeOf(err) == agent.NotFound:
			return true, nil
		case err != nil:
			return false, err
		case active.ID != run.ID:
			return true, nil
		}
		select {
		case <-left:
		case <-inTime:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}
