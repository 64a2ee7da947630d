package agent

import (
	"context"
	"encoding/json"
	"time"
)

// Entry is one atomic change: rows and the events that tell of them, committed
// together or not at all. Readers learn of the events after the commit only.
type Entry struct {
	ConversationID string
	RunID          string
	// Epoch is the run's fencing number. An entry with another number than
	// the run's row is refused with ErrStale. 0 is not fenced: it is for what
	// people do, never for the Loop.
	Epoch int64
	// Run holds the run's new values; Owner, Epoch, LeaseUntil, AbortBy are not taken from it.
	// Its status must be a legal change from the row's (Status.CanBecome, or
	// unchanged), else Conflict.
	Run       *Run
	Messages  []Message
	Calls     []CallChange
	Approvals []ApprovalChange
	Steps     []Step
	// Verdicts are what guards said, also those that are switched off.
	Verdicts    []VerdictRecord
	Compactions []Compaction
	Events      []Event
	// Raises add to the limits of admins' budgets.
	Raises []Raise
	// Audit and Notify are written with what they tell of.
	Audit  []AuditRow
	Notify []Notification
}

// Durable reports whether the entry must survive a power loss. Streamed
// deltas need not: after a crash they are voided anyway.
func (e Entry) Durable() bool {
	return e.Run != nil || len(e.Messages)+len(e.Calls)+len(e.Approvals)+len(e.Steps)+len(e.Verdicts)+len(e.Compactions) > 0
}

// CallChange inserts a call (From "") or moves it on by compare-and-set: a row
// whose state is not From refuses the whole entry with Conflict. A change that is
// not Legal is a bug.
type CallChange struct {
	From  CallState
	Event CallEvent
	Call  ToolCall
	// Basis is what lets a call run. A claim whose basis does not stand any more
	// is refused with ErrRevoked.
	Basis Basis
}

// Basis is what a claim rests on, beyond what policy says of itself: a decision
// of a person, or a rule.
type Basis struct {
	ApprovalID string
	RuleID     string
}

// ApprovalChange inserts an approval (From "") or changes it by compare-and-set
// on its status and version.
type ApprovalChange struct {
	From     ApprovalStatus
	Approval Approval
}

// Snapshot is everything the Loop needs to go on with a run.
type Snapshot struct {
	Run          Run
	Conversation Conversation
	// OwnerEmail is the person the run works for, OwnerOutput his output mode.
	OwnerEmail  string
	OwnerRole   Role
	OwnerOutput OutputMode
	// Compactions are those of the conversation, oldest first.
	Compactions []Compaction
	// Branch is the active branch up to and with this run's newest message.
	Branch []Message
	// Calls are all calls of the run, in order of step and index.
	Calls []ToolCall
	// Approvals are all approvals of the run, oldest first.
	Approvals []Approval
	// Grants cover calls of this run or conversation.
	Grants []Grant
	// Rules are those of admins and of approvals that are in force.
	Rules []PolicyRule
	// Deciders is how many people may decide what is critical.
	Deciders int
	// Guards are what admins have changed of the breakers.
	Guards GuardConfig
}

// Journal is the one way in which runs become rows and events.
type Journal interface {
	// Append commits the entry and returns its events with Seq and At set. An
	// entry that pauses its run is refused with ErrDecided where a decision
	// on it is not applied yet, or an abort was asked for: else the run would
	// sleep on an answer that is already there.
	Append(ctx context.Context, e Entry) ([]Event, error)
	// Reserve holds what a model call may take at worst against all budgets in scope
	// at once, before it is made: *Short where it does not fit, ErrStale where the
	// run is not ours any more. A second one for the same step changes the first.
	// A Step in an Entry settles it; Entries that let go of the run release it.
	Reserve(ctx context.Context, a Ask) (Room, error)
	// Release ends the run's reservation, if it has one, without a settlement.
	Release(ctx context.Context, runID string, epoch int64) error
	// Snapshot loads a run; NotFound if there is none.
	Snapshot(ctx context.Context, runID string) (*Snapshot, error)
	// Decisions returns the run's approvals that are decided, in effect and not applied, oldest first.
	Decisions(ctx context.Context, runID string) ([]Approval, error)
	// Claim takes over one run that is queued and whose WakeAt has come, or running with a lease that
	// ran out: it sets the owner, raises the epoch and returns the run as
	// running. NotFound means that there is nothing to do.
	Claim(ctx context.Context, owner string, lease time.Duration) (*Run, error)
	// PolicyRules are those of admins and of approvals that are in force now.
	PolicyRules(ctx context.Context) ([]PolicyRule, error)
	// ApprovalMode is a conversation's as it is now.
	ApprovalMode(ctx context.Context, conversationID string) (ApprovalMode, error)
	// Renew extends the lease of a run; ErrStale if the epoch is not ours any more.
	Renew(ctx context.Context, runID string, epoch int64, lease time.Duration) error
}

// DeskStore is the part of the store that people's commands need.
type DeskStore interface {
	// Enqueue stores a person's message and the run that answers it in one
	// transaction. The same ClientID again returns the same ids with
	// Existing set. Conflict while a run of the conversation is active.
	Enqueue(ctx context.Context, p Prompt) (Enqueued, error)
	// Conversation, Run and Approval check the viewer in the query: what he
	// may not see is NotFound.
	Conversation(ctx context.Context, v Viewer, id string) (*Conversation, error)
	Run(ctx context.Context, v Viewer, id string) (*Run, error)
	Approval(ctx context.Context, v Viewer, id string) (*Approval, error)
	// EnqueueAgain stores a run that goes on where a failed one stopped. Conflict
	// while a run is active, or where the conversation has gone on since.
	EnqueueAgain(ctx context.Context, a Again) error
	// ChangeApproval commits what a person, or time, does to an approval, with
	// everything that is written with it. Conflict with Standing set to the
	// *Approval that stands if somebody was first.
	ChangeApproval(ctx context.Context, e ApprovalEntry) (*Approval, error)
	// Due returns pending approvals whose DueAt has come, oldest first.
	Due(ctx context.Context, now time.Time, limit int) ([]Approval, error)
	// CountDeciders counts the enabled reviewers and admins, without some by e-mail address.
	CountDeciders(ctx context.Context, without []string) (int, error)
	// PolicyRules are those of admins and of approvals that are in force.
	PolicyRules(ctx context.Context) ([]PolicyRule, error)
	// User returns an account by its id.
	UserByID(ctx context.Context, id string) (*User, error)
	// RequestAbort marks a run; a paused or queued one becomes claimable.
	// Idempotent, also for ended runs.
	RequestAbort(ctx context.Context, runID, by string) error
	// Refilled returns budget cards that wait, or have expired waiting, whose
	// RefillAt has come, oldest first.
	Refilled(ctx context.Context, now time.Time, limit int) ([]Approval, error)
	// GuardConfig returns what admins have changed of the breakers.
	GuardConfig(ctx context.Context) (GuardConfig, error)
	// ActiveRun returns the conversation's run that is queued, running or paused; NotFound if none.
	ActiveRun(ctx context.Context, conversationID string) (*Run, error)
}

// ApprovalEntry is one change of an approval, committed with all that belongs to
// it or not at all.
type ApprovalEntry struct {
	// To is the approval as it will stand; its Version is the one that was read.
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

// Prompt is a person's message to a conversation.
type Prompt struct {
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

// Again is a run that goes on behind a message, without a new one.
type Again struct {
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
