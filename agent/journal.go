package agent

import (
	"cmp"
	"context"
	"time"
)

// Change is one atomic change: rows and the events about them, committed
// together or not at all. Readers learn of the events after the commit only.
type Change struct {
	ConversationID string
	RunID          string
	// ParentRunID is the run that made the one of the change, "" for a root.
	ParentRunID string
	// Epoch is the run's fencing number. An entry with another number than
	// the run's row is refused with ErrStale. 0 is not fenced: it is for what
	// people do, never for the Loop.
	Epoch int64
	// Run has the run's new values; Owner, Epoch, LeaseUntil, AbortBy are not taken from it.
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
	// LimitIncreases add to the limits of admins' budgets.
	LimitIncreases []LimitIncrease
	// Spawn is a child run that one of the run's calls makes: ErrTreeFull refuses the whole change.
	Spawn *NewChild
	// StopsBelow ends all runs below the run, on behalf of somebody; FreesTree queues those
	// again that wait for money of the root. "" and false for neither.
	StopsBelow string
	FreesTree  bool
	// Reserve sets aside what the run's next model call may take at worst, after all
	// else of the change: *InsufficientBudget refuses the whole change.
	Reserve *ReservationRequest
	// Hears refuses the whole change with ErrSteered where a person has said something that
	// the run has not heard. Heard is what it hears with the change.
	Hears bool
	Heard []Heard
	// Audit and Notify are written with what they are about.
	Audit  []AuditRow
	Notify []Notification
}

// Durable reports whether the change must survive a power loss: what was billed,
// what people are asked, what touches the world outside, and the end of a run. The
// rest is found again or repeated: deltas are voided, reads are repeated, and a
// call that was not claimed has not happened.
func (e Change) Durable() bool {
	if e.Run != nil && e.Run.Status != StatusRunning {
		return true
	}
	for _, c := range e.Calls {
		if c.Effects {
			return true
		}
	}
	if e.StopsBelow != "" || e.FreesTree {
		return true
	}
	return len(e.Heard)+len(e.Steps)+len(e.Approvals)+len(e.Verdicts)+len(e.Compactions)+len(e.LimitIncreases)+len(e.Audit)+len(e.Notify) > 0
}

// Empty reports whether the change does nothing.
func (e Change) Empty() bool {
	return e.Run == nil && e.Reserve == nil && e.Spawn == nil && !e.Durable() && len(e.Messages)+len(e.Calls)+len(e.Events) == 0
}

// Then returns one change that does what e does and then what next does. Both are
// of the same run.
func (e Change) Then(next Change) Change {
	if next.Run != nil {
		e.Run = next.Run
	}
	if next.Reserve != nil {
		e.Reserve = next.Reserve
	}
	if next.Spawn != nil {
		e.Spawn = next.Spawn
	}
	e.StopsBelow, e.FreesTree = cmp.Or(next.StopsBelow, e.StopsBelow), e.FreesTree || next.FreesTree
	e.Messages = append(e.Messages, next.Messages...)
	e.Calls = append(e.Calls, next.Calls...)
	e.Approvals = append(e.Approvals, next.Approvals...)
	e.Steps = append(e.Steps, next.Steps...)
	e.Verdicts = append(e.Verdicts, next.Verdicts...)
	e.Compactions = append(e.Compactions, next.Compactions...)
	e.Events = append(e.Events, next.Events...)
	e.LimitIncreases = append(e.LimitIncreases, next.LimitIncreases...)
	e.Hears = e.Hears || next.Hears
	e.Heard = append(e.Heard, next.Heard...)
	e.Audit = append(e.Audit, next.Audit...)
	e.Notify = append(e.Notify, next.Notify...)
	return e
}

// Heard is a message that steers a run, and the message of the transcript that it becomes.
type Heard struct{ ID, MessageID string }

// Committed is what a change has become.
type Committed struct {
	// Events are those of the change and those that it has caused, with Seq and At.
	Events []Event
	// Reservation is what Change.Reserve asked for.
	Reservation Reservation
	// Waits says that the change ends a run, and that a message waited for that.
	Waits bool
}

// CallChange inserts a call (From "") or moves it on by compare-and-set: a row
// whose state is not From refuses the whole change with Conflict. A change that is
// not Legal is a bug. A claim is refused with ErrRevoked where what the call's Rule
// rests on was revoked.
type CallChange struct {
	From  CallState
	Event CallEvent
	Call  ToolCall
	// Effects says that the call changes something outside, or may have done so: this
	// change of its state must survive a power loss.
	Effects bool
}

// ApprovalChange inserts an approval (From "") or changes it by compare-and-set
// on its status and version.
type ApprovalChange struct {
	From     ApprovalStatus
	Approval Approval
}

// Snapshot is everything the Loop needs to continue a run.
type Snapshot struct {
	Run          Run
	Conversation Conversation
	// OwnerEmail is the person the run works for, OwnerOutput their output mode.
	OwnerEmail  string
	OwnerRole   Role
	OwnerOutput OutputMode
	// OwnerMemoryOff says that this person has switched their memory off.
	OwnerMemoryOff bool
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
	// Steers are what people have said that the run has not heard yet, oldest first.
	Steers []QueuedMessage
	// Guards are what admins have changed of the breakers.
	Guards GuardConfig
	// Agents are the definitions that tasks can be handed to, by name, and Agent is the one
	// that the run works by, in its version; nil for none.
	Agents []Agent
	Agent  *Agent
	// Workflow is the definition that the run's answers come from, in its version; nil for none.
	// Workflows are those that tasks can be handed to, by name.
	Workflow  *Workflow
	Workflows []Workflow
	// Path is the way from the root to the run, both included; nil for a root. Children are
	// those of the run's calls that wait for them.
	Path     []PathStep
	Children []Child
}

// Journal is the one way in which runs become rows and events.
type Journal interface {
	// Append commits the change. One that pauses its run is refused with ErrDecided
	// where a decision on it is not applied yet, or an abort was asked for: else the
	// run would sleep on an answer that is already there.
	Append(ctx context.Context, e Change) (Committed, error)
	// Reserve checks what a model call may take at worst against all budgets in scope
	// at once, before it is made: *InsufficientBudget where it does not fit, ErrStale
	// where the run is not ours any more. A second one for the same step changes the
	// first. A Step in a Change settles it; Changes that let go of the run release it.
	Reserve(ctx context.Context, a ReservationRequest) (Reservation, error)
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
	// Tree are the runs of a tree, the root first, then oldest first.
	Tree(ctx context.Context, rootRunID string) ([]Run, error)
	// Answer is the last text of a run of a tree, or a value that it has delivered where one is
	// named; NotFound where it is of another tree, or has none.
	Answer(ctx context.Context, rootRunID, runID, value string) (Answer, error)
	// AnswerBranch is the branch of a run of a conversation up to its Answer, oldest first; empty
	// where there is none.
	AnswerBranch(ctx context.Context, conversationID, runID string) ([]Message, error)
	// CallDocuments are the documents that the calls of a conversation have read, as open as
	// they are now.
	CallDocuments(ctx context.Context, conversationID string) ([]CallDocument, error)
	// CallsAtWork are the calls of a tree that may be having their effect, or may have had it.
	CallsAtWork(ctx context.Context, rootRunID string) ([]ToolCall, error)
	// MadeInVain reports whether another run of the tree of a run, which has ended and not
	// finished, has begun a call of the same tool with the same arguments.
	MadeInVain(ctx context.Context, run Run, c ToolCall) (bool, error)
	// EndingBelow are the runs below a run that are marked to end and have not ended.
	EndingBelow(ctx context.Context, runID string) ([]Run, error)
	// TreeCalls are a tree's newest calls that have ended or are being executed, in the order in
	// which they began; of long arguments and results only the beginning.
	TreeCalls(ctx context.Context, rootRunID string, limit int) ([]TreeCall, error)
	// OpenBudgetCard is the approval about money that a run waits for, or whose decision it
	// has not applied yet, "" for none.
	OpenBudgetCard(ctx context.Context, runID string) (string, error)
	// LastAllowed is the newest decision in a conversation that let a tool run with exactly
	// these arguments, nil for none.
	LastAllowed(ctx context.Context, conversationID, tool, argsHash string) (*Approval, error)
	// PolicyRules are those of admins and of approvals that are in force now.
	PolicyRules(ctx context.Context) ([]PolicyRule, error)
	// ApprovalMode is a conversation's as it is now.
	ApprovalMode(ctx context.Context, conversationID string) (ApprovalMode, error)
	// Renew extends the lease of a run; ErrStale if the epoch is not ours any more.
	Renew(ctx context.Context, runID string, epoch int64, lease time.Duration) error
}

// ApprovalUpdate is one change of an approval, committed with all that belongs to
// it or not at all.
type ApprovalUpdate struct {
	// To is the new approval; its Version is the one that was read.
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
