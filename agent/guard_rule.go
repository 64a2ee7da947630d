package agent

import (
	"time"

	"fusebox/agent/fingerprint"
)

// RuleState is the state of a rule for a tool.
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
	// ApprovalID is the approval that was marked as not a loop, "" for a rule that an admin wrote.
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

// ProposedRule is the rule that would have prevented a loop approval: where
// results changed, or calls took turns, the tool is polling; else its own
// thresholds are twice as far as the streak went. An approval that is about no call
// proposes nothing, which is an empty rule.
func ProposedRule(a Approval) ToolRule {
	ev, err := a.LoopEvidence()
	if a.Kind != KindLoop || a.ToolName == "" || err != nil {
		return ToolRule{}
	}
	rule := ToolRule{Tool: a.ToolName}
	switch {
	case ev.Detector == "ping_pong", ev.Detector == "cycle", ev.Detector == "generic_repeat" && resultsChange(ev):
		rule.Polling = true
	default:
		rule.Warning, rule.Critical = min(max(ev.Count, 2), 999), min(max(2*ev.Count, 3), 1000)
	}
	return rule
}

func resultsChange(ev LoopEvidence) bool {
	seen := ""
	for _, c := range ev.Calls {
		if c.Blocked {
			continue
		}
		fp := fingerprint.Result(c.Result, nil) + ImageNames(c.Images)
		if seen != "" && fp != seen {
			return true
		}
		seen = fp
	}
	return false
}
