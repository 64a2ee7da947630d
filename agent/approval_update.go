package agent

import (
	"time"
)

// ApprovalUpdate is one change of an approval, committed with all that belongs to
// it or not at all.
type ApprovalUpdate struct {
	// To is the new approval; its Version is the one that was read.
	// A row with another version, or whose decision the Loop has applied, refuses
	// the entry.
	To Approval
	// Frees puts a paused run back into the queue, to be claimed from WakeAt on.
	Frees  bool
	WakeAt time.Time
	// Rule is a standing rule that the decision makes.
	Rule   *PolicyRule
	Events []EventData
	Audit  []AuditRow
	Notify []Notification
}
