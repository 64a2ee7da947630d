package agent

import (
	"time"
)

// Undoable reports whether the decision can still be undone: it is not in effect yet.
func (a Approval) Undoable(now time.Time) bool {
	return a.Status == ApprovalDecided && !a.Applied && now.Before(a.EffectiveAt)
}

// Reopened is the approval asked again: its next generation, with nothing decided.
func (a Approval) Reopened(now time.Time, timeout time.Duration) Approval {
	a.Status, a.Applied, a.Stage = ApprovalPending, false, StageAsked
	a.Generation++
	a.RequestedAt, a.ExpiresAt = now, now.Add(timeout)
	a.Votes, a.EffectiveAt, a.EscalatedTo, a.EditedArgs = nil, time.Time{}, "", nil
	a.Decision, a.DecidedBy, a.DecidedAt, a.Comment, a.Answer = "", "", time.Time{}, "", ""
	a.Scope, a.Covers, a.RaiseTokensBy, a.RaiseMicrosBy, a.N = "", nil, 0, 0, 0
	a.RevokedAt, a.RevokedBy = time.Time{}, "" // the revocation concerned the previous decision
	a.DueAt = a.NextDue()
	return a
}
