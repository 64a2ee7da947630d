package agent

import (
	"time"
)

// System is the actor's name for Fusebox itself.
const System = "system"

// OnTimeout is what happens to an approval that no one decided in time.
type OnTimeout string

// When an undecided approval is recalled, and when it is escalated: per
// cent of its time.
const (
	remindAt   = 75
	escalateAt = 90
)

// NextDue is when the scheduler has to look at an undecided approval, by its stage.
func (a Approval) NextDue() time.Time {
	share := func(percent int64) time.Time {
		return a.RequestedAt.Add(a.ExpiresAt.Sub(a.RequestedAt) / 100 * time.Duration(percent))
	}
	switch a.Stage {
	case StageAsked:
		return share(remindAt)
	case StageReminded:
		return share(escalateAt)
	default:
		return a.ExpiresAt
	}
}

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

// NeededVotes is how many different people have to approve what is of a risk,
// where some people may: two for what is critical, as long as there are two.
func NeededVotes(risk Risk, deciders int) int {
	if risk == RiskCritical {
		return max(1, min(2, deciders))
	}
	return 1
}

// Vote is one person's approval of an approval that needs several.
type Vote struct {
	By      string    `json:"by"` // e-mail address
	At      time.Time `json:"at"`
	Comment string    `json:"comment,omitempty"`
}
