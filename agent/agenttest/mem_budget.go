package agenttest

import (
	"context"
	"time"

	"fusebox/agent"
)

// Reserve implements agent.Journal for the budgets that come with a run. A run
// has one call under way, so that nothing else can hold what these leave.
func (j *MemJournal) Reserve(_ context.Context, a agent.ReservationRequest) (room agent.Reservation, err error) {
	err = j.read(func(s *memState) error {
		room, err = s.reserve(j.clock, a)
		return err
	})
	return room, err
}

func (s *memState) reserve(clock agent.Clock, a agent.ReservationRequest) (agent.Reservation, error) {
	row, ok := s.runs[a.RunID]
	switch {
	case !ok:
		return agent.Reservation{}, errNoRun()
	case row.Epoch != a.Epoch || row.Status != agent.StatusRunning:
		return agent.Reservation{}, agent.ErrStale
	}
	output, short := a.Fit(agent.OwnBudgets(row.Run, s.tokensOf(row.ConversationID)))
	if short != nil {
		return agent.Reservation{}, short
	}
	return agent.Reservation{ID: a.RunID, Output: output, At: agent.Stamp(clock)}, nil
}

func (s *memState) tokensOf(conversationID string) (n int64) {
	for _, step := range s.steps {
		if step.ConversationID == conversationID {
			n += step.Usage.Total()
		}
	}
	return n
}

// Release implements agent.Journal: nothing is held here beyond a call.
func (j *MemJournal) Release(_ context.Context, runID string, epoch int64) error {
	return j.read(func(s *memState) error {
		row, ok := s.runs[runID]
		switch {
		case !ok:
			return errNoRun()
		case row.Epoch != epoch:
			return agent.ErrStale
		}
		return nil
	})
}

// Refilled implements service.RunStore.
func (j *MemJournal) Refilled(_ context.Context, now time.Time, limit int) (due []agent.Approval, err error) {
	err = j.read(func(s *memState) error {
		due = s.approvalsWhere(func(a agent.Approval) bool {
			return (a.Status == agent.ApprovalPending || a.Status == agent.ApprovalExpired) && !a.RefillAt.IsZero() && !a.RefillAt.After(now)
		})
		due = due[:min(len(due), limit)]
		return nil
	})
	return due, err
}
