package agent

import (
	"time"
)

// Compaction replaces the older part of a branch in requests to a model. The
// messages stay as they are: it is what the model gets to see instead.
type Compaction struct {
	ID             string
	ConversationID string
	RunID          string
	// UpTo is the last message that the summary covers, "" for none.
	UpTo string
	// Leaf is the newest message at the time: results up to it are cut to head and tail.
	Leaf      string
	Summary   string
	CreatedAt time.Time
}
