package agent

import "time"

// RuleState is where a rule for a tool stands.
type RuleState string

// The states of rules. One rule of a tool is active at most.
const (
	RuleProposed  RuleState = "proposed"
	RuleActive    RuleState = "active"
	RuleDismissed RuleState = "dismissed"
)

// GuardRule is a rule for a tool with where it comes from.
type GuardRule struct {
	ID string `json:"id"`
	ToolRule
	State RuleState `json:"state"`
	// ApprovalID is the card of which somebody said that it was no loop, "" for a rule that an admin wrote.
	ApprovalID string    `json:"approvalId,omitempty"`
	Actor      string    `json:"actor"` // e-mail address
	At         time.Time `json:"at"`
}

// GuardStat is what one detector said in some time.
type GuardStat struct {
	Detector    string `json:"detector"`
	Warnings    int64  `json:"warnings"`
	Pauses      int64  `json:"pauses"`
	Stops       int64  `json:"stops"`
	Off         int64  `json:"off"` // what it would have said while it was switched off
	Tokens      int64  `json:"tokens"`
	CostMicros  int64  `json:"costMicros"`
	SavedTokens int64  `json:"savedTokens"` // an estimate, see VerdictRecord
	SavedMicros int64  `json:"savedMicros"`
}

// PastRun is a run as a backtest replays it.
type PastRun struct {
	ID             string
	ConversationID string
	Title          string
	OwnerEmail     string
	Steps          int
	CreatedAt      time.Time
	Compacted      int
	Calls          []ToolCall
	Answers        []PastAnswer
}

// PastAnswer is the text of one answer of a past run.
type PastAnswer struct {
	MessageID string
	Content   string
}
