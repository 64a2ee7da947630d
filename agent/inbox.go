package agent

import "time"

// InboxEntry is an approval as one person finds it in the inbox.
type InboxEntry struct {
	Approval
	// Unread says that it waits and that this person has not looked at it since
	// it was asked.
	Unread bool
	// Mine says that it waits and that this person can decide it.
	Mine bool
	// Siblings is how many of its run wait, itself among them, for the same side: the viewer
	// or others.
	Siblings int
	// Usage and CostMicros are what its run has used until now.
	Usage      Usage
	CostMicros int64
}

// Waiting counts the pending approvals that one person can decide.
type Waiting struct {
	Pending int
	// Unread counts up to MaxUnread: no one needs a more exact number.
	Unread int
	// Newest are some of those that wait, the newest first. Of more than LooseCards of one
	// answer it has the first alone.
	Newest []InboxEntry
}

// MaxUnread bounds the count of unread approvals.
const MaxUnread = 100

// Presence says that a person is looking at an approval, or did.
type Presence struct {
	ApprovalID string
	UserID     string
	Email      string
	// FirstAt is the first look at the current request: a reopened one is
	// new to everyone.
	FirstAt time.Time
	LastAt  time.Time
	// Opened is set once the arguments were unfolded.
	Opened bool
}
