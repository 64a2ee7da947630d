package agent

import (
	"time"
)

// System stands for Fusebox itself where a person's name would stand.
const System = "system"

// OnTimeout is what becomes of an approval that nobody decided in time.
type OnTimeout string

// When a card that nobody decides is recalled, and when it is handed on: per
// cent of its time.
const (
	remindAt   = 75
	escalateAt = 90
)

// NextDue is when the scheduler has to look at an undecided card, by its stage.
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
