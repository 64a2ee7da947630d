package service

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"fusebox/agent"
)

// Runs are the commands about runs at work: they end them, or change what they are about to do.
type Runs struct {
	Store RunStore
	// Approvals decide what a run waits for that is stopped.
	Approvals *Approvals
	Runner    RunEnder
	Tools     agent.Toolbox
	Clock     agent.Clock
}

// Abort ends a run; idempotent. Its owner and admins may.
func (s *Runs) Abort(ctx context.Context, v agent.Viewer, runID string) error {
	run, err := s.abortable(ctx, v, runID)
	if err != nil || run.Status.Ended() {
		return err
	}
	return s.abort(ctx, v, runID)
}

// Stop is Abort as the pages offer it: where a run waits for a decision, its oldest pending
// approval is decided to abort, which can be undone for a moment before the run ends. One whose
// children may be at work ends at once.
func (s *Runs) Stop(ctx context.Context, v agent.Viewer, runID string) error {
	run, err := s.abortable(ctx, v, runID)
	if err != nil || run.Status.Ended() {
		return err
	}
	if run.Status != agent.StatusPaused {
		return s.abort(ctx, v, runID)
	}
	pending, err := s.Store.PendingApprovalIDs(ctx, runID)
	if err != nil {
		return err
	}
	working, err := s.Store.HasOpenChildren(ctx, runID)
	if err != nil {
		return err
	}
	if len(pending) == 0 || working { // the approval has expired, or was decided and can be undone; or others work on
		return s.abort(ctx, v, runID)
	}
	return s.Approvals.abort(ctx, v, pending[0])
}

// abortable is a run that the viewer may end.
func (s *Runs) abortable(ctx context.Context, v agent.Viewer, runID string) (*agent.Run, error) {
	run, err := s.Store.Run(ctx, v, runID)
	if err != nil {
		return nil, err
	}
	if run.UserID != v.UserID && v.Role != agent.RoleAdmin {
		return nil, agent.Errorf(agent.Forbidden, "Only the person who started this run, or an admin, can abort it.")
	}
	return run, nil
}

func (s *Runs) abort(ctx context.Context, v agent.Viewer, runID string) error {
	if err := s.Store.RequestAbort(ctx, runID, v.Email); err != nil {
		return err
	}
	if err := s.stopBelow(ctx, runID); err != nil {
		return err
	}
	s.Runner.Abort(runID, v.Email)
	s.Runner.Wake()
	return nil
}

// stopBelow has the runs below a run that this process advances hear at once that they are to end.
func (s *Runs) stopBelow(ctx context.Context, runID string) error {
	below, err := s.Store.EndingBelow(ctx, runID)
	for _, r := range below {
		s.Runner.Abort(r.ID, r.AbortBy)
	}
	return err
}

// CancelCall cancels one call; its run continues. Anyone who may abort the run may cancel
// its calls. The error is a Conflict if the call is not being executed.
func (s *Runs) CancelCall(ctx context.Context, v agent.Viewer, runID, callID string) (*agent.Run, error) {
	run, err := s.abortable(ctx, v, runID)
	if err != nil {
		return nil, err
	}
	child, err := s.Store.ChildOf(ctx, run.ID, callID)
	switch {
	case err == nil: // another run works on it
		return run, s.Abort(ctx, v, child)
	case agent.CodeOf(err) != agent.NotFound:
		return nil, err
	}
	if !s.Runner.CancelCall(run.ID, callID, v.Email) {
		return nil, agent.Errorf(agent.Conflict, "This call is not running any more.")
	}
	return run, nil
}

// TakeOver ends a run with a person's text as its answer, whatever the run is doing. Its
// owner and admins may. Conflict where it has ended, or somebody has stopped it.
func (s *Runs) TakeOver(ctx context.Context, v agent.Viewer, runID, answer string) error {
	run, err := s.Store.Run(ctx, v, runID)
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
	if err := s.Store.RequestTakeover(ctx, runID, v.Email, answer); err != nil {
		return err
	}
	if err := s.stopBelow(ctx, runID); err != nil {
		return err
	}
	s.Runner.TakeOver(runID, v.Email, answer)
	s.Runner.Wake()
	return nil
}

// ChangePlan gives a run that waits for a person another plan, of which the model hears in
// its next request. Only the run's own person may. Conflict where the run does not wait,
// Invalid for what the model could not have written down either.
func (s *Runs) ChangePlan(ctx context.Context, v agent.Viewer, runID string, plan agent.PlanArgs) error {
	run, err := s.Store.Run(ctx, v, runID)
	if err != nil {
		return err
	}
	if run.UserID != v.UserID {
		return agent.Errorf(agent.Forbidden, "Only the person who started this run can change its plan.")
	}
	if plan.Plan == nil {
		plan.Plan = []agent.PlanStep{}
	}
	args, err := s.Tools.Validate(agent.UpdatePlanTool, string(agent.MustJSON(plan)))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(args, &plan); err != nil {
		return fmt.Errorf("read a plan that was checked: %w", err)
	}
	return s.Store.ChangePlan(ctx, run.ID, v.Email, plan.Plan)
}

// stalledAfter is how long nothing is heard of a child run until its parent is told.
const stalledAfter = 10 * time.Minute

// TellStandstills tells runs of their children that stand still.
func (s *Runs) TellStandstills(ctx context.Context) error {
	return s.Store.TellStandstills(ctx, agent.Stamp(s.Clock).Add(-stalledAfter), dueBatch)
}
