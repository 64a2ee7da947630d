package loop

import (
	"fusebox/agent"
)

// canBeUndone reports whether a decision is made and not yet in effect.
func (f *execution) canBeUndone(a agent.Approval) bool { return a.Undoable(f.Clock.Now()) }

// undoable reports whether one of the run's decisions can still be undone.
func (f *execution) undoable() bool {
	for _, a := range f.approvals {
		if f.canBeUndone(a) {
			return true
		}
	}
	return false
}
