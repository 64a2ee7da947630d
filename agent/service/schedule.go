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

// stalledAfter is how long nothing is heard of a child run until its parent is told.
const stalledAfter = 10 * time.Minute

// dueBatch bounds one round of the scheduler; what is left is found by the next.
const dueBatch = 100

// Tick applies the schedule to undecided approvals: it reminds, escalates, and lets
// expire. It tells runs of their children that stand still, and has messages answered whose turn has come. Everything comes from rows, so that it survives restarts; a clock that
// jumps ahead skips stages, one that jumps back repeats none. A person who is a
// moment faster wins: the store's compare-and-set judges.
func (d *Runs) Tick(ctx context.Context) error {
	now := agent.Stamp(d.Clock)
	due, err := d.Store.Due(ctx, now, dueBatch)
	if err != nil {
		return err
	}
	for _, a := range due {
		if _, err := d.Store.ChangeApproval(ctx, d.timePasses(a, now)); err != nil && agent.CodeOf(err) != agent.Conflict {
			return err
		}
	}
	refilled, err := d.Store.Refilled(ctx, now, dueBatch)
	if err != nil {
		return err
	}
	for _, a := range refilled { // their budget was reset, or changed: the runs look whether their next call fits now
		a.Status, a.Decision, a.DecidedBy, a.DecidedAt = agent.ApprovalDecided, agent.DecideResume, agent.System, now
		if _, err := d.Store.ChangeApproval(ctx, d.closingUpdate(agent.Viewer{Email: agent.System}, a)); err != nil && agent.CodeOf(err) != agent.Conflict {
			return err
		}
	}
	if len(due)+len(refilled) > 0 {
		d.Runner.Wake()
	}
	if err := d.sendQueued(ctx, ""); err != nil {
		return err
	}
	return d.Store.TellStandstills(ctx, now.Add(-stalledAfter), dueBatch)
}

// timePasses moves an approval whose next stage has come.
func (d *Runs) timePasses(a agent.Approval, now time.Time) agent.ApprovalUpdate {
	switch {
	case !now.Before(a.ExpiresAt):
		return d.expire(a, now)
	case a.Stage == agent.StageAsked:
		return d.stir(a, agent.StageReminded, agent.ApprovalNotifications(agent.NotifyReminder, a, now))
	default:
		to := d.EscalateTo
		if to == agent.ToNobody {
			to = agent.ToAdmins
		}
		a.EscalatedTo = string(to)
		return d.stir(a, agent.StageEscalated, []agent.Notification{agent.NewNotification(agent.NotifyEscalated, a, to, now)})
	}
}

// stir moves an approval to its next stage and notifies people.
func (d *Runs) stir(a agent.Approval, stage agent.Stage, notes []agent.Notification) agent.ApprovalUpdate {
	a.Stage = stage
	a.DueAt = a.NextDue()
	var told []agent.Audience
	for _, n := range notes {
		told = append(told, n.To)
	}
	return agent.ApprovalUpdate{
		To: a, Events: []agent.EventData{a.Requested()}, Notify: notes,
		Audit: []agent.AuditRow{d.auditRow(agent.Viewer{Email: agent.System}, string(notes[0].Event), a, map[string]any{"to": told})},
	}
}

// expire is the end of an approval's time. It never counts as approval.
func (d *Runs) expire(a agent.Approval, now time.Time) agent.ApprovalUpdate {
	if d.OnTimeout == TimeoutReject || d.OnTimeout == TimeoutAbort {
		a.Status, a.Decision = agent.ApprovalDecided, agent.DecideAbort
		if d.OnTimeout == TimeoutReject && slices.Contains(verbsOf[a.Kind], agent.DecideReject) {
			a.Decision = agent.DecideReject
		}
		a.Comment, a.Scope = "No one decided in time.", agent.ScopeOnce
		a.DecidedBy, a.DecidedAt = agent.System, now
	} else {
		a.Status = agent.ApprovalExpired
	}
	e := d.closingUpdate(agent.Viewer{Email: agent.System}, a)
	e.Notify = append(agent.ApprovalNotifications(agent.NotifyExpired, a, now), agent.NewNotification(agent.NotifyExpired, a, agent.ToOwner, now))
	return e
}
