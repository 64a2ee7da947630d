package agent

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"
)

// Status is the state of a run.
type Status string

// The statuses of a run. Legal transitions are in transitions.
const (
	StatusQueued   Status = "queued"
	StatusRunning  Status = "running"
	StatusPaused   Status = "paused"
	StatusFinished Status = "finished"
	StatusStopped  Status = "stopped"
	StatusFailed   Status = "failed"
	StatusAborted  Status = "aborted"
)

// transitions is the one table of a run's legal changes of status. A process
// that dies leaves a run in running; taking it over again is running to running.
var transitions = map[Status][]Status{
	// Back to paused goes a run whose decision was undone before it took effect.
	StatusQueued: {StatusRunning, StatusPaused, StatusAborted},
	// Back to queued goes a run that waits for a result outside the model.
	StatusRunning: {StatusRunning, StatusQueued, StatusPaused, StatusFinished, StatusStopped, StatusFailed, StatusAborted},
	StatusPaused:  {StatusQueued, StatusAborted},
}

// CanBecome reports whether a run may go from s to next.
func (s Status) CanBecome(next Status) bool { return slices.Contains(transitions[s], next) }

// Ended reports whether the run is over.
func (s Status) Ended() bool { return s != "" && len(transitions[s]) == 0 }

// StopReason says why a run ended.
type StopReason string

// The ends of a run, all of them.
const (
	StopGoal              StopReason = "goal"
	StopTerminateTool     StopReason = "terminate_tool"
	StopMaxSteps          StopReason = "max_steps"
	StopTimeout           StopReason = "timeout"
	StopTokenBudget       StopReason = "token_budget"
	StopCostBudget        StopReason = "cost_budget"
	StopLoop              StopReason = "loop"
	StopConsecutiveErrors StopReason = "consecutive_errors"
	StopProviderError     StopReason = "provider_error"
	StopRejected          StopReason = "rejected"
	StopApprovalExpired   StopReason = "approval_expired"
	StopUserAbort         StopReason = "user_abort"
)

// Limits bound one run. They are fixed at its start; only an approved budget
// approval raises Tokens.
type Limits struct {
	Steps      int   `json:"steps"`
	DurationMS int64 `json:"durationMs"`
	Tokens     int64 `json:"tokens"`
	// ConversationTokens is 0 when the conversation has no limit of its own.
	ConversationTokens int64 `json:"conversationTokens,omitempty"`
	CostMicros         int64 `json:"costMicros,omitempty"`
}

// Duration is the limit of running time; 0 is none.
func (l Limits) Duration() time.Duration { return time.Duration(l.DurationMS) * time.Millisecond }

// Run is one answer to one message of a person: model calls and tool calls
// until the goal, a limit, a breaker or a person ends it. A paused run is only
// this row; no goroutine, timer or connection belongs to it.
type Run struct {
	ID             string     `json:"id"`
	ConversationID string     `json:"conversationId"`
	UserID         string     `json:"userId"`
	Lineage        Lineage    `json:"-"`
	Status         Status     `json:"status"`
	StopReason     StopReason `json:"stopReason,omitempty"`
	Model          string     `json:"model"`
	// Agent is the definition that the run works by, in the version that it began with;
	// "" for none.
	Agent        string    `json:"agent,omitempty"`
	AgentVersion int       `json:"agentVersion,omitempty"`
	Steps        int       `json:"steps"`
	Usage        Usage     `json:"usage"`
	CostMicros   int64     `json:"costMicros"`
	Limits       Limits    `json:"limits"`
	CreatedAt    time.Time `json:"createdAt"`
	StartedAt    time.Time `json:"startedAt"`
	EndedAt      time.Time `json:"endedAt,omitzero"`
	// DeletedAt is when its messages were deleted, zero where they were not.
	DeletedAt time.Time `json:"-"`
	// Active is how long the run was running; waiting for people does not count.
	Active time.Duration `json:"-"`
	State  RunState      `json:"-"`
	// WakeAt is when a queued run may be claimed; zero means at once.
	WakeAt time.Time `json:"-"`

	// Ownership: the instance that runs it, until when, and the fencing number
	// that every journal entry of this run carries.
	Owner      string    `json:"-"`
	Epoch      int64     `json:"-"`
	LeaseUntil time.Time `json:"-"`
	// AbortBy is the e-mail address of the person who asked to abort, "" if no one did.
	// It is written by people's commands only; Append leaves it alone.
	AbortBy string `json:"-"`
	// Takeover is the text with which that person took the run over: it becomes the
	// answer. "" where they want it aborted.
	Takeover string `json:"-"`
}

// RootID is the run at the top of the tree: the run itself where it is no child.
func (r Run) RootID() string {
	return cmp.Or(r.Lineage.RootRunID, r.ID)
}

// RunState is what the Loop must remember of a run between two steps, so that
// a restarted process continues where the last one stopped.
type RunState struct {
	// DraftID is the message that is being streamed; it has no row yet.
	DraftID string `json:"draftId,omitempty"`
	// Reminders join the next model request and are cleared by its step.
	Reminders []string `json:"reminders,omitempty"`
	// Guidance is what people typed on cards of the newest answer's calls. It becomes
	// messages behind their results.
	Guidance []Guidance `json:"guidance,omitempty"`
	Trips    Trips      `json:"trips,omitempty"`
	// FinishNow asks for one last model call without tools.
	FinishNow bool `json:"finishNow,omitempty"`
	// HandIn is the limit that ends the run once that last call has handed in what it has.
	HandIn HandIn `json:"handIn,omitzero"`
	// Unfinished says that the newest answer is not the end: it was cut, or
	// outputs are missing. The model is asked once more.
	Unfinished bool `json:"unfinished,omitempty"`
	// Unanswered counts the newest answers that say nothing: they have neither text nor
	// calls, or a call that cannot be read.
	Unanswered int `json:"unanswered,omitempty"`
	// Allowances move the thresholds of some calls, for this run.
	Allowances []Allowance `json:"allowances,omitempty"`
	// Polling are calls that a person had treated as polling; Waits are those
	// of them that wait outside the model now.
	Polling []CallRef `json:"polling,omitempty"`
	Waits   []Wait    `json:"waits,omitempty"`
	// Outputs are declared names with their types, Values what was delivered.
	Outputs map[string]string          `json:"outputs,omitempty"`
	Values  map[string]json.RawMessage `json:"values,omitempty"`
	// Purposes say what outputs are for, by name.
	Purposes map[string]string `json:"purposes,omitempty"`
	Plan     Plan              `json:"plan,omitzero"`
	// Workflow is the definition that the run's answers come from in the place of a model; nil
	// for none.
	Workflow *WorkflowRun `json:"workflow,omitempty"`
	// Leads says that the run may hand tasks over whatever its agent's definition names, and
	// Team to which agents alone it and those below it may; nil is any. ReadsOthers says that the
	// task names runs whose answers may be read.
	Leads       bool     `json:"leads,omitempty"`
	Team        []string `json:"team,omitzero"`
	ReadsOthers bool     `json:"readsOthers,omitempty"`
	// AwaitsCard is the approval of the root about money that the run waits for, "" for none.
	AwaitsCard string `json:"awaitsCard,omitempty"`
	// Stopping says that the end of the run is decided, and waits for its children's.
	Stopping bool `json:"stopping,omitempty"`
	// Tools are those of the run that made this one, for an agent that names none of its own; nil
	// is all. Knowledge are its collections in the same way; nil is those of the conversation.
	// Mode is the strictest of the runs on the way to it, "" for none.
	Tools     []string         `json:"tools,omitzero"`
	Knowledge CollectionChoice `json:"knowledge,omitzero"`
	Mode      ApprovalMode     `json:"mode,omitempty"`
	// Told are the addresses in a child's task that people, or what its parent had read, named.
	Told []string `json:"told,omitempty"`
	// Hosts are those that the answers of children may link to.
	Hosts []string `json:"hosts,omitempty"`
	// Untrusted says that the run that made this one had read text of the web or of documents,
	// or one that this run made.
	Untrusted bool `json:"untrusted,omitempty"`
	// Files are those of the workspace that the run knows, where it shares it with others.
	Files KnownFiles `json:"files,omitempty"`
	// DocumentID is the document that the person has open beside the chat, "" for none.
	DocumentID string `json:"documentId,omitempty"`
	// NoInstructions leaves the conversation's own instructions out, because an admin
	// does not allow any.
	NoInstructions bool `json:"noInstructions,omitempty"`
	Nudges         int  `json:"nudges,omitempty"`
	// Compacted is the position of the last call before the context was
	// compacted last, from 1; 0 for never.
	Compacted int `json:"compacted,omitempty"`
	// JudgedStep is the step before which the judge was asked last, and JudgeAt
	// the one before which it is asked again.
	JudgedStep int `json:"judgedStep,omitempty"`
	JudgeAt    int `json:"judgeAt,omitempty"`
	// RiskStep is the step whose calls were judged last, Risks what was judged of
	// them, by the call's id.
	RiskStep int               `json:"riskStep,omitempty"`
	Risks    map[string]Judged `json:"risks,omitempty"`
	// Cheaper is the model that answers in place of the run's own, because a
	// budget is nearly used up. AnyPrice lets a model without a price pass.
	Cheaper  string `json:"cheaper,omitempty"`
	AnyPrice bool   `json:"anyPrice,omitempty"`
	// OwnAnyPrice does so for the run's own budget only.
	OwnAnyPrice bool `json:"ownAnyPrice,omitempty"`
	// Loaded are the tools that find_tools has brought into view, in that order.
	Loaded []string `json:"loaded,omitempty"`
	// Instructed are the versions of the instructions that the run got, by tool.
	Instructed map[string]string `json:"instructed,omitempty"`
	// Terminate is set once the terminate tool has run: the run ends with its step.
	Terminate    *Terminate `json:"terminate,omitempty"`
	ToolCalls    int        `json:"toolCalls"`
	ToolReturns  int        `json:"toolReturns"`
	FallbackUsed bool       `json:"fallbackUsed,omitempty"`
}

// HandIn is a run's last chance to hand in what it has.
type HandIn struct {
	// Limit is the limit that was reached, "" for none.
	Limit StopReason `json:"limit"`
	// UntilMS is the running time after which the run ends, whatever came of it; 0 for none.
	UntilMS int64 `json:"untilMs,omitempty"`
}

// Until is the running time after which the run ends; 0 is none.
func (h HandIn) Until() time.Duration { return time.Duration(h.UntilMS) * time.Millisecond }

// Guidance is what a person typed on a card for the model: a text, or the arguments with
// which they had a call run.
type Guidance struct {
	By         string `json:"by"` // e-mail address
	Text       string `json:"text"`
	ToolCallID string `json:"toolCallId,omitempty"`
}

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
