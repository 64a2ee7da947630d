package agent

// LogPart says which part of a conversation's log is read: the runs that so many
// messages before an event are of.
type LogPart struct {
	// Before is the number of an event; 0 is the end of the log.
	Before   int64
	Messages int
	// ToEnd adds everything that comes after these runs.
	ToEnd bool
}

// Transcript is a part of a log as it is shown.
type Transcript struct {
	// Events are without the deltas of what is final. From is where they begin: 1
	// where there is nothing before them.
	Events []Event
	From   int64
	// Covers are the events of approvals outside of the part that cover calls of
	// the whole conversation, or did until they were revoked.
	Covers []Event
}
