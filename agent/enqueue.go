package agent

import (
	"encoding/json"
	"time"
)

// NewMessage is a person's message to a conversation.
type NewMessage struct {
	ConversationID string
	UserID         string
	TokenID        string // of the API token it came with, "" for a browser
	MessageID      string
	RunID          string
	ParentID       string // "" takes the conversation's leaf, RootParent none
	// Onward has the message go behind the newest one below ParentID: a run may have worked there.
	Onward       bool
	ClientID     string
	Content      string
	DocumentID   string // open beside the chat, "" for none
	Agent        string // the definition that the run works by, "" for none
	AgentVersion int
	// Workflow is the definition that the run works by in the place of an agent's, "" for none,
	// and WorkflowInputs what was filled in for it.
	Workflow        string
	WorkflowVersion int
	WorkflowInputs  map[string]json.RawMessage
	Model           string
	Limits          Limits
	Title           string // set where the conversation has none yet
	QueuedID        string // where it waited for its turn, "" for a message that did not
	// Outputs are names and types that the run has to deliver.
	Outputs map[string]string
	// Purposes say what they are for, by name; NoInstructions leaves the conversation's
	// own instructions out.
	Purposes       map[string]string
	NoInstructions bool
	// Claim is set where this process has a place for the run: it starts in the commit that
	// stores the message, unless the person has as many runs at work as they may.
	Claim *Claim
}

// Claim says which process takes a run over, and for how long without a sign of life.
type Claim struct {
	Owner string
	Lease time.Duration
}

// Place is room for one more run in this process. It is used by Start or given back by Free.
type Place interface {
	Claim() *Claim
	// Start advances a run that was claimed with Claim, from its snapshot if that is known.
	Start(run *Run, snap *Snapshot)
	Free()
}

// RunBehind is a run that goes on behind a message, without a new one.
type RunBehind struct {
	ConversationID string
	UserID         string
	TokenID        string // of the API token it came with, "" for a browser
	// FailedID is a run that failed and is continued; it has to be the conversation's newest.
	// Else MessageID is what the run begins behind.
	FailedID  string
	MessageID string
	// Replaces is the version that is deleted for it, by its first message; "" for none.
	Replaces string
	// GoOn asks the model to go on, where the run begins behind an answer.
	GoOn  string
	RunID string
	// Agent and AgentVersion are those of a NewMessage.
	Agent        string
	AgentVersion int
	// Workflow is that of the run before, with its results where this one goes on with them; nil for none.
	Workflow *WorkflowRun
	Model    string
	Limits   Limits
	Outputs  map[string]string
	// DocumentID, Purposes, and NoInstructions are those of a NewMessage.
	DocumentID     string
	Purposes       map[string]string
	NoInstructions bool
	// Values are the outputs that were delivered, and Plan is that of the run that is continued.
	Values map[string]json.RawMessage
	Plan   []PlanStep
	// Untrusted and Hosts are those of the run whose results this one takes over.
	Untrusted bool
	Hosts     []string
}

// Enqueued tells which message and run a prompt became.
type Enqueued struct {
	MessageID string `json:"messageId"`
	RunID     string `json:"runId"`
	Existing  bool   `json:"-"`
	// QueuedID is set where the message waits for its turn: then it is neither yet.
	QueuedID string `json:"-"`
	// Started is the run where it was claimed and has begun; nil where it is queued.
	Started *Run `json:"-"`
	// Snapshot is that of the started run, nil where it has to be loaded.
	Snapshot *Snapshot `json:"-"`
}

// RootParent is the ParentID of a message that begins its conversation once more.
const RootParent = "root"
