package agent

import (
	"context"
	"slices"
	"time"
)

// The ways to treat an overdue approval.
const (
	TimeoutPark   OnTimeout = "park" // it expires, its run stays paused, and it can be asked again
	TimeoutReject OnTimeout = "reject"
	TimeoutAbort  OnTimeout = "abort"
)

// dueBatch bounds one round of the scheduler; what is left is found by the next.
const dueBatch = 100

// Tick does what time does to undecided cards: it reminds, hands on, and lets
// expire. Everything comes from rows, so that it survives restarts; a clock that
// jumps ahead skips stages, one that jumps back repeats none. A person who is a
// moment faster wins: the store's compare-and-set judges.
func (d *Desk) Tick(ctx context.Context) error {
	now := Stamp(d.Clock)
	due, err := d.Store.Due(ctx, now, dueBatch)
	if err != nil {
		return err
	}
	for _, a := range due {
		if _, err := d.Store.ChangeApproval(ctx, d.timePasses(a, now)); err != nil && CodeOf(err) != Conflict {
			return err
		}
	}
	refilled, err := d.refill(ctx, now)
	if err != nil {
		return err
	}
	if len(due) > 0 || refilled {
		d.Runner.Wake()
	}
	return nil
}

// refill lets runs go on by themselves whose budget is whole again, or was
// changed: they look whether their next call fits now.
func (d *Desk) refill(ctx context.Context, now time.Time) (bool, error) {
	cards, err := d.Store.Refilled(ctx, now, dueBatch)
	if err != nil {
		return false, err
	}
	for _, a := range cards {
		to := a
		to.Status, to.Decision, to.DecidedBy, to.DecidedAt = ApprovalDecided, DecideResume, System, now
		if _, err := d.Store.ChangeApproval(ctx, d.settled(Viewer{Email: System}, to)); err != nil && CodeOf(err) != Conflict {
			return false, err
		}
	}
	return len(cards) > 0, nil
}

// timePasses is what time does to a card whose next stage has come.
func (d *Desk) timePasses(a Approval, now time.Time) ApprovalEntry {
	switch {
	case !now.Before(a.ExpiresAt):
		return d.expire(a, now)
	case a.Stage == StageAsked:
		return d.stir(a, StageReminded, notifyAsked(NotifyReminder, a, now))
	default:
		to := d.EscalateTo
		if to == ToNobody {
			to = ToAdmins
		}
		a.EscalatedTo = string(to)
		return d.stir(a, StageEscalated, []Notification{notify(NotifyEscalated, a, to, now)})
	}
}

// stir moves a card to its next stage and tells people of it.
func (d *Desk) stir(a Approval, stage Stage, notes []Notification) ApprovalEntry {
	a.Stage = stage
	a.DueAt = a.nextDue()
	var told []Audience
	for _, n := range notes {
		told = append(told, n.To)
	}
	return ApprovalEntry{
		To: a, Events: []EventData{a.Requested()}, Notify: notes,
		Audit: []AuditRow{d.auditRow(Viewer{Email: System}, string(notes[0].Event), a, map[string]any{"to": told})},
	}
}

// expire is the end of a card's time. It never counts as approval.
func (d *Desk) expire(a Approval, now time.Time) ApprovalEntry {
	if d.OnTimeout == TimeoutReject || d.OnTimeout == TimeoutAbort {
		a.Status, a.Decision = ApprovalDecided, d.expiredVerb(a)
		a.Comment, a.Scope = "Nobody decided in time.", ScopeOnce
		a.DecidedBy, a.DecidedAt = System, now
	} else {
		a.Status = ApprovalExpired
	}
	e := d.settled(Viewer{Email: System}, a)
	e.Notify = append(notifyAsked(NotifyExpired, a, now), notify(NotifyExpired, a, ToOwner, now))
	return e
}

// expiredVerb is reject where the card's kind takes it, else abort.
func (d *Desk) expiredVerb(a Approval) Verb {
	if d.OnTimeout == TimeoutReject && slices.Contains(verbsOf[a.Kind], DecideReject) {
		return DecideReject
	}
	return DecideAbort
}
