package service

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"fusebox/agent"
)

// abortUndo is how long a person can undo that they have aborted a waiting run.
const abortUndo = 10 * time.Second

// Abort ends a run; idempotent. Its owner and admins may.
func (d *Runs) Abort(ctx context.Context, v agent.Viewer, runID string) error {
	run, err := d.abortable(ctx, v, runID)
	if err != nil || run.Status.Ended() {
		return err
	}
	return d.abort(ctx, v, runID)
}

// Stop is Abort as the pages offer it: where a run waits for a decision, its oldest pending
// approval is decided to abort, which can be undone for a moment before the run ends. One whose
// children may be at work ends at once.
func (d *Runs) Stop(ctx context.Context, v agent.Viewer, runID string) error {
	run, err := d.abortable(ctx, v, runID)
	if err != nil || run.Status.Ended() {
		return err
	}
	if run.Status != agent.StatusPaused {
		return d.abort(ctx, v, runID)
	}
	pending, err := d.Store.PendingApprovalIDs(ctx, runID)
	if err != nil {
		return err
	}
	working, err := d.Store.HasOpenChildren(ctx, runID)
	if err != nil {
		return err
	}
	if len(pending) == 0 || working { // the approval has expired, or was decided and can be undone; or others work on
		return d.abort(ctx, v, runID)
	}
	a, err := d.Store.Approval(ctx, v, pending[0])
	if err != nil {
		return err
	}
	update, err := d.entryOf(ctx, v, *a, agent.Decision{Verb: agent.DecideAbort})
	if err != nil {
		return err
	}
	if _, err := d.Store.ChangeApproval(ctx, update); err != nil {
		return err
	}
	d.Runner.Wake()
	return nil
}

// abortable is a run that the viewer may end.
func (d *Runs) abortable(ctx context.Context, v agent.Viewer, runID string) (*agent.Run, error) {
	run, err := d.Store.Run(ctx, v, runID)
	if err != nil {
		return nil, err
	}
	if run.UserID != v.UserID && v.Role != agent.RoleAdmin {
		return nil, agent.Errorf(agent.Forbidden, "Only the person who started this run, or an admin, can abort it.")
	}
	return run, nil
}

func (d *Runs) abort(ctx context.Context, v agent.Viewer, runID string) error {
	if err := d.Store.RequestAbort(ctx, runID, v.Email); err != nil {
		return err
	}
	if err := d.stopBelow(ctx, runID); err != nil {
		return err
	}
	d.Runner.Abort(runID, v.Email)
	d.Runner.Wake()
	return nil
}

// stopBelow has the runs below a run that this process advances hear at once that they are to end.
func (d *Runs) stopBelow(ctx context.Context, runID string) error {
	below, err := d.Store.EndingBelow(ctx, runID)
	for _, r := range below {
		d.Runner.Abort(r.ID, r.AbortBy)
	}
	return err
}

// CancelCall cancels one call; its run continues. Anyone who may abort the run may cancel
// its calls. The error is a Conflict if the call is not being executed.
func (d *Runs) CancelCall(ctx context.Context, v agent.Viewer, runID, callID string) (*agent.Run, error) {
	run, err := d.abortable(ctx, v, runID)
	if err != nil {
		return nil, err
	}
	child, err := d.Store.ChildOf(ctx, run.ID, callID)
	switch {
	case err == nil: // another run works on it
		return run, d.Abort(ctx, v, child)
	case agent.CodeOf(err) != agent.NotFound:
		return nil, err
	}
	if !d.Runner.CancelCall(run.ID, callID, v.Email) {
		return nil, agent.Errorf(agent.Conflict, "This call is not running any more.")
	}
	return run, nil
}

// TakeOver ends a run with a person's text as its answer, whatever the run is doing. Its
// owner and admins may. Conflict where it has ended, or somebody has stopped it.
func (d *Runs) TakeOver(ctx context.Context, v agent.Viewer, runID, answer string) error {
	run, err := d.Store.Run(ctx, v, runID)
	if err != nil {
		return err
	}
	switch {
	case run.UserID != v.UserID && v.Role != agent.RoleAdmin:
		return agent.Errorf(agent.Forbidden, "Only the person who started this run, or an admin, can take it over.")
	case strings.TrimSpace(answer) == "":
		return agent.InvalidField("answer", "is empty; write the answer")
	case len(answer) > maxAnswer:
		return agent.InvalidField("answer", "has %d bytes; at most %d are allowed", len(answer), maxAnswer)
	case !utf8.ValidString(answer):
		return agent.InvalidField("answer", "is not valid UTF-8 text")
	}
	if err := d.Store.RequestTakeover(ctx, runID, v.Email, answer); err != nil {
		return err
	}
	if err := d.stopBelow(ctx, runID); err != nil {
		return err
	}
	d.Runner.TakeOver(runID, v.Email, answer)
	d.Runner.Wake()
	return nil
}

// endWait bounds how long a request waits for a stopped run to end.
const endWait = 5 * time.Second

// supersede ends the conversation's run that is paused or waits, if there is one.
func (d *Runs) supersede(ctx context.Context, v agent.Viewer, conversationID string) error {
	run, err := d.Store.ActiveRun(ctx, conversationID)
	if agent.CodeOf(err) == agent.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if run.AbortBy == "" && run.Status != agent.StatusPaused && run.WakeAt.IsZero() {
		return agent.Errorf(agent.Conflict, "A run of this conversation is still working. Stop it, or wait until it finishes.")
	}
	if err := d.abort(ctx, v, run.ID); err != nil {
		return err
	}
	ended, err := d.awaitEnd(ctx, *run)
	if err == nil && !ended {
		err = agent.Errorf(agent.Unavailable, "The paused run did not end in time. Please send the message again.")
	}
	return err
}

// afterStop calls do, which answers with ErrActive while the conversation's run works. If that run was stopped a
// moment ago, it waits for its end and calls do again.
func (d *Runs) afterStop(ctx context.Context, conversationID string, do func() error) error {
	refused := do()
	if !errors.Is(refused, agent.ErrActive) {
		return refused
	}
	run, err := d.Store.ActiveRun(ctx, conversationID)
	switch {
	case agent.CodeOf(err) == agent.NotFound:
		return do() // it has ended meanwhile
	case err != nil:
		return err
	case run.AbortBy == "":
		return refused
	}
	if _, err := d.awaitEnd(ctx, *run); err != nil {
		return err
	}
	return do()
}

// awaitEnd waits up to endWait for a run that was told to end, and reports whether it has.
func (d *Runs) awaitEnd(ctx context.Context, run agent.Run) (ended bool, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for inTime := d.Clock.After(endWait); ; {
		left := d.Runner.Left(ctx, run.ID) // whoever lets go may be the one that had paused it
		switch active, err := d.Store.ActiveRun(ctx, run.ConversationID); {
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
