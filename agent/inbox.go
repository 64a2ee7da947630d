package agent

import "time"

// InboxEntry is an approval as one person finds it in the inbox.
type InboxEntry struct {
	Approval
	// Unread says that it waits and that this person has not looked at it since
	// it was asked.
	Unread bool
	// Usage and CostMicros are what its run has used until now.
	Usage      Usage
	CostMicros int64
}

// Waiting is what waits for one person.
type Waiting struct {
	Pending int
	// Unread counts up to MaxUnread: nobody needs to know more exactly.
	Unread int
	// Newest are some of those that wait, the newest first.
	Newest []InboxEntry
}

// MaxUnread bounds the count of unread approvals.
const MaxUnread = 100

// Presence says that a person has an approval before his eyes, or had.
type Presence struct {
	ApprovalID string
	UserID     string
	Email      string
	// FirstAt is the first look at what is asked now: one that is asked again is
	// new to everybody.
	FirstAt time.Time
	LastAt  time.Time
	// Opened is set once the arguments were unfolded.
	Opened bool
}
