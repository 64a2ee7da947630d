package agent

import "time"

// VerdictRecord is a verdict in a run's trace. It outlives no run.
type VerdictRecord struct {
	ID             string    `json:"id"`
	RunID          string    `json:"runId"`
	ConversationID string    `json:"conversationId"`
	Step           int       `json:"step"`
	CallID         string    `json:"toolCallId,omitempty"`
	Tool           string    `json:"toolName,omitempty"`
	Detector       string    `json:"detector"`
	Level          string    `json:"level"` // Level.String; "pass" for a streak that was spared
	Off            bool      `json:"off"`   // the detector was switched off: this is what it would have said
	Count          int       `json:"count"`
	Threshold      int       `json:"threshold"`
	Message        string    `json:"message"`
	Calls          []int     `json:"calls,omitempty"`
	At             time.Time `json:"at"`
	// Tokens and CostMicros are what the calls of the streak took; the saved
	// ones estimate what the run would have gone on to use: what it had spent
	// per step, times the steps left to its limit.
	Tokens      int64 `json:"tokens"`
	CostMicros  int64 `json:"costMicros"`
	SavedTokens int64 `json:"savedTokens"`
	SavedMicros int64 `json:"savedMicros"`
}
