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
