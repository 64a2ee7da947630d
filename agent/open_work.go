package agent

import "time"

// PendingCount are the undecided approvals of one kind.
type PendingCount struct {
	Kind   ApprovalKind
	Count  int64
	Oldest time.Time // when the one that waits longest was asked
}

// OpenRuns are the runs of one status that have not ended.
type OpenRuns struct {
	Status Status
	Count  int64
}
