package agent

import (
	"encoding/json"
	"strings"
	"time"
)

// Event is one entry of a conversation's ordered log. Seq and At are assigned
// by the journal when it commits. In JSON the fields of Data are next to the
// envelope's.
type Event struct {
	Seq            int64
	ConversationID string
	At             time.Time
	RunID          string
	// ParentRunID is the run that made a child run, "" where RunID is a root.
	ParentRunID string
	Step        int
	Data        EventData
	// Encoded is Data as JSON where it is known: the store and every reader use
	// the same bytes. Code that changes Data must set it to nil.
	Encoded json.RawMessage
}

// EventData is the part of an event that depends on its type: one of the types below.
type EventData interface{ eventType() string }

// Type returns the event's type as in the API description.
func (e Event) Type() string { return e.Data.eventType() }

// MessageEvent carries a whole user, assistant or tool message, once final.
type MessageEvent struct {
	Message Message `json:"message"`
}

// RunStart opens a run.
type RunStart struct {
	Model  string `json:"model"`
	Limits Limits `json:"limits"`
	// Agent is the definition that the run works by, and AgentVersion its version.
	Agent        string `json:"agent,omitempty"`
	AgentVersion int    `json:"agentVersion,omitempty"`
	// Workflow is what the run works by in the place of an agent, WorkflowVersion its version, and
	// TakenOver are the steps whose results are those of an earlier run.
	Workflow        string   `json:"workflow,omitempty"`
	WorkflowVersion int      `json:"workflowVersion,omitempty"`
	TakenOver       []string `json:"takenOver,omitempty"`
	// Task is what a child run is to do, and ToolCallID the call of its parent that made it.
	Task       string `json:"task,omitempty"`
	ToolCallID string `json:"toolCallId,omitempty"`
}

// Start is the event that opens the run. A child's has its task.
func (r Run) Start(task string) RunStart {
	e := RunStart{Model: r.Model, Limits: r.Limits, Agent: r.Agent, AgentVersion: r.AgentVersion}
	if r.Lineage.IsChild() {
		e.Task, e.ToolCallID = task, r.Lineage.ParentCallID
	}
	if flow := r.State.Workflow; flow != nil {
		e.Workflow, e.WorkflowVersion, e.TakenOver = flow.Name, flow.Version, flow.TakenOver
	}
	return e
}

// StepStart opens a model call. MessageID is the message that will be streamed.
type StepStart struct {
	MessageID string `json:"messageId"`
}

// StepFinish closes a model call with what it used.
type StepFinish struct {
	Usage        Usage  `json:"usage"`
	CostMicros   int64  `json:"costMicros"`
	FinishReason string `json:"finishReason"`
	// Unpriced says that the cost is 0 because the model's price is unknown.
	Unpriced bool `json:"unpriced,omitempty"`
}

// TextDelta is a piece of a message's content.
type TextDelta struct {
	ID    string `json:"id"`
	Delta string `json:"delta"`
}

// ReasoningDelta is a piece of a message's reasoning.
type ReasoningDelta struct {
	ID    string `json:"id"`
	Delta string `json:"delta"`
}

// MessageReset voids what was streamed of a message, its tool calls included.
type MessageReset struct {
	ID string `json:"id"`
}

// ToolCallStart announces a call while the model is still writing it.
type ToolCallStart struct {
	ToolCallID string `json:"toolCallId"`
	ToolName   string `json:"toolName"`
}

// ToolCallDelta is a piece of a call's argument text.
type ToolCallDelta struct {
	ToolCallID string `json:"toolCallId"`
	Delta      string `json:"delta"`
}

// ToolCallStateEvent reports a call's change of state.
type ToolCallStateEvent struct {
	ToolCallID string    `json:"toolCallId"`
	State      CallState `json:"state"`
	// Rule names what let the call pass without a person being asked.
	Rule Authority `json:"rule,omitzero"`
}

// ToolResultDelta is live output of a running tool.
type ToolResultDelta struct {
	ToolCallID string `json:"toolCallId"`
	Delta      string `json:"delta"`
}

// ToolCallResult is a call's one result.
type ToolCallResult struct {
	ToolCallID string    `json:"toolCallId"`
	Result     string    `json:"result"`
	ErrorType  ErrorType `json:"errorType,omitempty"`
	Truncated  bool      `json:"truncated,omitempty"`
	Images     []Image   `json:"images,omitempty"`
}

// RetryEvent reports a wait before the same model call is retried. Attempt is 0 where it
// has not been made yet: it waits because the endpoint has refused another one.
type RetryEvent struct {
	Attempt     int    `json:"attempt"`
	MaxAttempts int    `json:"maxAttempts"`
	DelayMS     int64  `json:"delayMs"`
	Status      int    `json:"status,omitempty"`
	Message     string `json:"message"`
}

// FallbackEvent reports a change to another way of asking.
type FallbackEvent struct {
	Reason  string `json:"reason"`
	Attempt int    `json:"attempt"`
	// Model is the one that is asked instead, "" where it is the same one.
	Model string `json:"model,omitempty"`
}

// GuardEvent is a guard's verdict above pass.
type GuardEvent struct {
	Level    string          `json:"level"` // warning, critical, breaker
	Detector string          `json:"detector"`
	Count    int             `json:"count"`
	Message  string          `json:"message"`
	Evidence json.RawMessage `json:"evidence,omitempty"`
}

// ApprovalRequestedEvent shows an approval to people.
type ApprovalRequestedEvent struct {
	ApprovalID string          `json:"approvalId"`
	Kind       ApprovalKind    `json:"kind"`
	ToolCallID string          `json:"toolCallId,omitempty"`
	Risk       Risk            `json:"risk"`
	Message    string          `json:"message"`
	Options    []Option        `json:"options,omitempty"`
	ArgsHash   string          `json:"argsHash,omitempty"`
	Generation int             `json:"generation"`
	Evidence   json.RawMessage `json:"evidence"`
	ExpiresAt  time.Time       `json:"expiresAt,omitzero"`
	Needs      int             `json:"needs,omitempty"`
	Votes      []Vote          `json:"votes,omitempty"`
	Pattern    Pattern         `json:"pattern,omitempty"`
	// Author edited the arguments: Args are theirs, OriginalArgs the model's.
	Author       string          `json:"author,omitempty"`
	Args         json.RawMessage `json:"args,omitempty"`
	OriginalArgs json.RawMessage `json:"originalArgs,omitempty"`
	// Agent asks, on behalf of the runs on the way to it; see Approval.Path.
	Agent string     `json:"agent,omitempty"`
	Path  []PathStep `json:"path,omitempty"`
}

// ApprovalDecidedEvent closes an approval. Decision is "cancelled" if the run ended before anyone decided,
// and "expired" if no one decided in time: then it can be reopened.
type ApprovalDecidedEvent struct {
	ApprovalID string `json:"approvalId"`
	Kind       string `json:"kind"`
	ToolCallID string `json:"toolCallId,omitempty"`
	Decision   string `json:"decision"`
	DecidedBy  string `json:"decidedBy"`
	Comment    string `json:"comment,omitempty"`
	// UndoUntil is how long the decision can be undone.
	UndoUntil time.Time `json:"undoUntil,omitzero"`
	// Scope and Covers are what an approval covers beyond its call.
	Scope  Scope   `json:"scope,omitempty"`
	Covers Pattern `json:"covers,omitempty"`
	// Answer is what was answered to a question.
	Answer string `json:"answer,omitempty"`
}

// RunPaused says that nothing moves until one of the approvals is decided, or one of the
// children has ended.
type RunPaused struct {
	ApprovalIDs []string `json:"approvalIds"`
	// Children are the child runs that it waits for.
	Children []string `json:"children,omitempty"`
}

// RunResumed says whose decision resumed the run.
type RunResumed struct {
	By string `json:"by"`
}

// Notice is a quiet line: a nudge, a recovery, a compaction.
type Notice struct {
	Message string `json:"message"`
	// Detail is a longer text to unfold, in markdown.
	Detail string `json:"detail,omitempty"`
	// Cut are results that the model does not see whole any more.
	Cut []CutResult `json:"cut,omitempty"`
	// RevokedID is the approval whose cover RevokedBy revoked.
	RevokedID string `json:"revokedId,omitempty"`
	RevokedBy string `json:"revokedBy,omitempty"`
	// ChildRunID is the child run that stands still.
	ChildRunID string `json:"childRunId,omitempty"`
}

// CutResult is a tool's result of which a model sees head and tail only.
type CutResult struct {
	RunID      string `json:"runId"`
	ToolCallID string `json:"toolCallId"`
	ToolName   string `json:"toolName"`
	Characters int    `json:"characters"`
}

// PlanEvent is the plan of the run as it is now.
type PlanEvent struct {
	Steps []PlanStep `json:"steps"`
}

// BranchEvent says which branch of the conversation is chosen now, by its last message. With a run,
// that begins behind this message.
type BranchEvent struct {
	LeafID string `json:"leafId"`
}

// MessageDeletedEvent says that a message was deleted with all that followed it, Deleted in all, and
// where the branch ends that is chosen now; "" is an empty conversation.
type MessageDeletedEvent struct {
	MessageID string `json:"messageId"`
	LeafID    string `json:"leafId"`
	Deleted   int    `json:"deleted"`
}

// TitleEvent says what the conversation is called now.
type TitleEvent struct {
	Title string `json:"title"`
}

// QueueEvent is what waits in the conversation now. Long contents are cut.
type QueueEvent Queue

// ErrorEvent tells a person what went wrong.
type ErrorEvent struct {
	Message   string `json:"message"`
	ErrorType string `json:"errorType"`
	Retryable bool   `json:"retryable"`
	// Status is the HTTP status that the model's endpoint answered, 0 for none.
	Status int `json:"status,omitempty"`
}

// Finish closes a run.
type Finish struct {
	Status       Status     `json:"status"`
	StopReason   StopReason `json:"stopReason"`
	Model        string     `json:"model"`
	Usage        Usage      `json:"usage"`
	CostMicros   int64      `json:"costMicros"`
	ToolCalls    int        `json:"toolCalls"`
	ToolReturns  int        `json:"toolReturns"`
	FallbackUsed bool       `json:"fallbackUsed"`
	// Message says what was done, what was not, and what can be done now.
	Message string `json:"message,omitempty"`
}

// AbortedBySystem reports whether no person has aborted the run, as its message says: the time of
// the run that waited for it was up.
func (f Finish) AbortedBySystem() bool {
	return f.Status == StatusAborted && strings.HasPrefix(f.Message, "Aborted by "+System+".")
}
