package service

import (
	"context"
	"slices"
	"time"

	"fusebox/agent"
)

// The ways to treat an overdue approval.
const (
	TimeoutPark   agent.OnTimeout = "park" // it expires, its run stays paused, and it can be reopened
	TimeoutReject agent.OnTimeout = "reject"
	TimeoutAbort  agent.OnTimeout = "abort"
)

// dueBatch bounds one round of what is due; what is left is found by the next.
const dueBatch = 100

// Tick applies the schedule to undecided approvals: it reminds, escalates, and lets
// expire. Everything comes from rows, so that it survives restarts; a clock that
// jumps ahead skips stages, one that jumps back repeats none. A person who is a
// moment faster wins: the store's compare-and-set judges.
func (s *Approvals) Tick(ctx context.Context) error {
	now := agent.Stamp(s.Clock)
	due, err := s.Store.Due(ctx, now, dueBatch)
	if err != nil {
		return err
	}
	for _, a := range due {
		if _, err := s.Store.ChangeApproval(ctx, s.timePasses(a, now)); err != nil && agent.CodeOf(err) != agent.Conflict {
			return err
		}
	}
	refilled, err := s.Store.Refilled(ctx, now, dueBatch)
	if err != nil {
		return err
	}
	for _, a := range refilled { // their budget was reset, or changed: the runs look whether their next call fits now
		a.Status, a.Decision, a.DecidedBy, a.DecidedAt = agent.ApprovalDecided, agent.DecideResume, agent.System, now
		if _, err := s.Store.ChangeApproval(ctx, s.closingUpdate(agent.Viewer{Email: agent.System}, a)); err != nil && agent.CodeOf(err) != agent.Conflict {
			return err
		}
	}
	if len(due)+len(refilled) > 0 {
		s.Runner.Wake()
	}
	return nil
}

// timePasses moves an approval whose next stage has come.
func (s *Approvals) timePasses(a agent.Approval, now time.Time) agent.ApprovalUpdate {
	switch {
	case !now.Before(a.ExpiresAt):
		return s.expire(a, now)
	case a.Stage == agent.StageAsked:
		return s.stir(a, agent.StageReminded, agent.ApprovalNotifications(agent.NotifyReminder, a, now))
	default:
		to := s.EscalateTo
		if to == agent.ToNobody {
			to = agent.ToAdmins
		}
		a.EscalatedTo = string(to)
		return s.stir(a, agent.StageEscalated, []agent.Notification{agent.NewNotification(agent.NotifyEscalated, a, to, now)})
	}
}

// stir moves an approval to its next stage and notifies people.
func (s *Approvals) stir(a agent.Approval, stage agent.Stage, notes []agent.Notification) agent.ApprovalUpdate {
	a.Stage = stage
	a.DueAt = a.NextDue()
	var told []agent.Audience
	for _, n := range notes {
		told = append(told, n.To)
	}
	return agent.ApprovalUpdate{
		To: a, Events: []agent.EventData{a.Requested()}, Notify: notes,
		Audit: []agent.AuditRow{s.auditRow(agent.Viewer{Email: agent.System}, string(notes[0].Event), a, map[string]any{"to": told})},
	}
}

// expire is the end of an approval's time. It never counts as approval.
func (s *Approvals) expire(a agent.Approval, now time.Time) agent.ApprovalUpdate {
	if s.OnTimeout == TimeoutReject || s.OnTimeout == TimeoutAbort {
		a.Status, a.Decision = agent.ApprovalDecided, agent.DecideAbort
		if s.OnTimeout == TimeoutReject && slices.Contains(verbsOf[a.Kind], agent.DecideReject) {
			a.Decision = agent.DecideReject
		}
		a.Comment, a.Scope = "No one decided in time.", agent.ScopeOnce
		a.DecidedBy, a.DecidedAt = agent.System, now
	} else {
		a.Status = agent.ApprovalExpired
	}
	e := s.closingUpdate(agent.Viewer{Email: agent.System}, a)
	e.Notify = append(agent.ApprovalNotifications(agent.NotifyExpired, a, now), agent.NewNotification(agent.NotifyExpired, a, agent.ToOwner, now))
	return e
}
