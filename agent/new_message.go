package agent

import (
	"encoding/json"
)

// NewMessage is a person's message to a conversation.
type NewMessage struct {
	ConversationID string
	UserID         string
	MessageID      string
	RunID          string
	ParentID       string // "" takes the conversation's leaf
	ClientID       string
	Content        string
	Model          string
	Limits         Limits
	Title          string // set where the conversation has none yet
	// Outputs are names and types that the run has to deliver.
	Outputs map[string]string
}

// RetryRun is a run that continues after a message, without a new one.
type RetryRun struct {
	ConversationID string
	UserID         string
	// FailedID is the run that failed; it has to be the conversation's newest.
	FailedID string
	RunID    string
	Model    string
	Limits   Limits
	Outputs  map[string]string
	// Values are the outputs that were delivered.
	Values map[string]json.RawMessage
}

// Enqueued tells which message and run a prompt became.
type Enqueued struct {
	MessageID string `json:"messageId"`
	RunID     string `json:"runId"`
	Existing  bool   `json:"-"`
}
