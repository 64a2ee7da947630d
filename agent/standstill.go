package agent

import (
	"fmt"
	"time"
)

// Standstill is a child run of which nothing has been heard for long.
type Standstill struct {
	// ParentRunID waits for the child RunID, and is itself a child of GrandparentRunID, ""
	// for a root.
	ConversationID, RunID, ParentRunID, GrandparentRunID string
	Agent                                                string
	Status                                               Status
	// LastSeq is its last event, and Since when that was.
	LastSeq int64
	Since   time.Time
	// Asks says that a person has to decide something. WakeAt is when it goes on by itself,
	// Tool what it executes, and Child the agent of a run that it waits for.
	Asks        bool
	WakeAt      time.Time
	Tool, Child string
}

// Notice tells the parent of it.
func (s Standstill) Notice(now time.Time) Notice {
	return Notice{
		Message:    fmt.Sprintf("%s has shown no progress for %d minutes: %s.", s.Agent, int(now.Sub(s.Since).Minutes()), s.reason(now)),
		ChildRunID: s.RunID,
	}
}

// reason is what the child waits for, or works on.
func (s Standstill) reason(now time.Time) string {
	switch {
	case s.Asks:
		return "it waits for a decision"
	case s.Status == StatusQueued && s.WakeAt.After(now):
		return "it waits to try again"
	case s.Status == StatusQueued:
		return "it waits for a place"
	case s.Status == StatusPaused && s.Child != "":
		return fmt.Sprintf("it waits for %s", s.Child)
	case s.Status == StatusPaused: // for a card of its root
		return "it waits for a decision"
	case s.Tool != "":
		return fmt.Sprintf("it works on %s", s.Tool)
	default:
		return "it waits for the model"
	}
}
