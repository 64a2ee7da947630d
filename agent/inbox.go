package agent

import (
	"slices"
	"strings"
	"time"
)

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

// ReviewerDecision is what the statistics use of one decision of a person.
type ReviewerDecision struct {
	By          string // e-mail address
	Decision    Verb
	RequestedAt time.Time
	DecidedAt   time.Time
	// Call says that the approval was about a call with arguments, Opened that the person who
	// decided had opened them, Failed that the call ran on this and failed.
	Call, Opened, Failed bool
}

// ReviewerStats is how a person decided over a period.
type ReviewerStats struct {
	Who       string // "" for everyone together
	Decisions int
	// Median is that of the times from asking to deciding.
	Median time.Duration
	// Approved counts what was allowed: approvals, edits, resumes.
	Approved int
	// Calls counts the approved approvals that had arguments, Unopened those of them
	// whose arguments were never opened.
	Calls, Unopened int
	// Failed counts approved calls that ended in an error, Undone the decisions
	// that were undone in time.
	Failed, Undone int
}

// SumReviewerStats sums decisions up: a line for each person, by name, and one for all.
// undone counts, by person, the decisions that were undone.
func SumReviewerStats(decisions []ReviewerDecision, undone map[string]int) (lines []ReviewerStats, whole ReviewerStats) {
	by := map[string][]ReviewerDecision{}
	for _, d := range decisions {
		by[d.By] = append(by[d.By], d)
	}
	all := 0
	for who, n := range undone {
		by[who] = slices.Clip(by[who]) // someone with only undone decisions has a line as well
		all += n
	}
	for who, own := range by {
		lines = append(lines, reviewerStats(who, own, undone[who]))
	}
	slices.SortFunc(lines, func(x, y ReviewerStats) int { return strings.Compare(x.Who, y.Who) })
	return lines, reviewerStats("", decisions, all)
}

func reviewerStats(who string, decisions []ReviewerDecision, undone int) ReviewerStats {
	l := ReviewerStats{Who: who, Decisions: len(decisions), Undone: undone}
	times := make([]time.Duration, 0, len(decisions))
	for _, d := range decisions {
		times = append(times, d.DecidedAt.Sub(d.RequestedAt))
		if d.Decision != DecideApprove && d.Decision != DecideEdit && d.Decision != DecideResume {
			continue
		}
		l.Approved++
		if d.Call {
			l.Calls++
		}
		if d.Call && !d.Opened {
			l.Unopened++
		}
		if d.Failed {
			l.Failed++
		}
	}
	l.Median = median(times)
	return l
}

// median is the middle of some times, of an even number the mean of the middle two.
func median(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	mid := len(times) / 2
	if len(times)%2 == 1 {
		return times[mid]
	}
	return (times[mid-1] + times[mid]) / 2
}
