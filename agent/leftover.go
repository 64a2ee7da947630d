package agent

import "time"

// Leftover is a deleted conversation whose files could not be removed from the disk.
type Leftover struct {
	ConversationID string
	// Since is when that was tried first, Tried the last time.
	Since, Tried time.Time
	// Problem is what the file system said.
	Problem string
}
