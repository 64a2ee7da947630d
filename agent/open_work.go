package agent

import "time"

// OpenCards are the undecided approvals of one kind.
type OpenCards struct {
	Kind   ApprovalKind
	Count  int64
	Oldest time.Time // when the one that waits longest was asked
}

// OpenRuns are the runs of one status that have not ended.
type OpenRuns struct {
	Status Status
	Count  int64
}
