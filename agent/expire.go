package agent

import (
	"context"
	"slices"
)

// System stands for Fusebox itself where a person's name would stand.
const System = "system"

// OnTimeout is what becomes of an approval that nobody decided in time.
type OnTimeout string

// The ways to treat an overdue approval.
const (
	TimeoutPark   OnTimeout = "park" // it stays and can still be decided
	TimeoutReject OnTimeout = "reject"
	TimeoutAbort  OnTimeout = "abort"
)

// overdueBatch bounds one sweep; what is left is found by the next.
const overdueBatch = 100

// ExpireOverdue decides approvals that nobody decided in time. A person who is
// a moment faster wins: the store's compare-and-set judges.
func (d *Desk) ExpireOverdue(ctx context.Context) error {
	if d.OnTimeout == TimeoutPark || d.OnTimeout == "" {
		return nil
	}
	now := d.Clock.Now()
	overdue, err := d.Store.Overdue(ctx, now, overdueBatch)
	if err != nil {
		return err
	}
	for _, a := range overdue {
		a.Status, a.Decision = ApprovalDecided, d.expiredVerb(a)
		a.Comment, a.Scope = "Nobody decided in time.", ScopeOnce
		a.DecidedBy, a.DecidedAt = System, now
		if _, err := d.Store.Decide(ctx, a); err != nil && CodeOf(err) != Conflict {
			return err
		}
	}
	if len(overdue) > 0 {
		d.Runner.Wake()
	}
	return nil
}

// expiredVerb is reject where the card's kind takes it, else abort.
func (d *Desk) expiredVerb(a Approval) Verb {
	if d.OnTimeout == TimeoutReject && slices.Contains(verbsOf[a.Kind], DecideReject) {
		return DecideReject
	}
	return DecideAbort
}
