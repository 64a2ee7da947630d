package service

import (
	"context"
	"time"

	"fusebox/agent"
)

// DecisionStore has what commands on approvals read and write. It is small, as MessageStore and
// RunStore are: a journal can stand in for the store.
type DecisionStore interface {
	ApprovalReader
	ConversationReader
	RuleReader
	UserReader
	// ChangeApproval commits what a person, or time, does to an approval, with
	// everything that is written with it. Conflict with Standing set to the
	// current *Approval if someone else was first.
	ChangeApproval(ctx context.Context, e agent.ApprovalUpdate) (*agent.Approval, error)
	// Due returns pending approvals whose DueAt has come, oldest first.
	Due(ctx context.Context, now time.Time, limit int) ([]agent.Approval, error)
	// Refilled returns budget approvals that wait, or have expired waiting, whose
	// RefillAt has come, oldest first.
	Refilled(ctx context.Context, now time.Time, limit int) ([]agent.Approval, error)
	// CountDeciders counts the enabled reviewers and admins, without some by e-mail address.
	CountDeciders(ctx context.Context, without []string) (int, error)
}

// MessageStore has what people say, and the runs that answer it.
type MessageStore interface {
	AgentReader
	ConversationReader
	DocumentReader
	GuardReader
	PathReader
	ProgressReader
	RunReader
	SettingReader
	UserReader
	// Enqueue stores a person's message and the run that answers it in one
	// transaction. The same ClientID again returns the same ids with
	// Existing set. Conflict while a run of the conversation is active.
	Enqueue(ctx context.Context, p agent.NewMessage) (agent.Enqueued, error)
	// EnqueueBehind stores a run that goes on behind a message, or where a failed run stopped, and
	// chooses its branch. Conflict while a run is active, or where the conversation has continued since.
	EnqueueBehind(ctx context.Context, a agent.RunBehind) (agent.Enqueued, error)
	// Version is where a message stands among its versions.
	Version(ctx context.Context, v agent.Viewer, messageID string) (agent.Version, error)
	// AskedBy is the person's message that a run answers; NotFound where it was deleted. The caller has checked the viewer.
	AskedBy(ctx context.Context, runID string) (agent.Message, error)
	// Answer is that of agent.Journal.
	Answer(ctx context.Context, rootRunID, runID, value string) (agent.Answer, error)
	// Below counts what would go with a version, and DeleteVersion deletes it: the messages, not what was
	// paid and done. Conflict while a run works on it.
	Below(ctx context.Context, v agent.Version) (agent.Below, error)
	DeleteVersion(ctx context.Context, v agent.Version) (agent.Below, error)
	// CallsBelow are the calls that have begun of the runs at and below a version, oldest first.
	CallsBelow(ctx context.Context, v agent.Version) ([]agent.ToolCall, error)
	// Queue is what waits in a conversation. The caller has checked the viewer.
	Queue(ctx context.Context, conversationID string) (agent.Queue, error)
	// AddQueued puts a message behind those that wait, unless nothing works that it would wait
	// for. Where what works is being stopped, it goes before them, and nothing is held any longer.
	// The same ClientID again answers what it became. Conflict where MaxQueued wait.
	AddQueued(ctx context.Context, m agent.QueuedMessage) (agent.Queued, error)
	// ChangeQueued and RemoveQueued are NotFound where the message does not wait.
	ChangeQueued(ctx context.Context, conversationID, id string, p agent.QueuedPatch) error
	RemoveQueued(ctx context.Context, conversationID, id string) error
	// HoldQueue holds what waits for its turn, and says why; ResumeQueue lets it go on.
	HoldQueue(ctx context.Context, conversationID, why string) error
	ResumeQueue(ctx context.Context, conversationID string) error
	// ReadyQueued are the first messages of the queues that go on, where nothing works: of one
	// conversation, or of all for "".
	ReadyQueued(ctx context.Context, conversationID string, limit int) ([]agent.QueuedMessage, error)
	// AddSteer stores what a person says to a run at work, once for a ClientID. Conflict where it
	// has ended, or is to end.
	AddSteer(ctx context.Context, m agent.QueuedMessage) (agent.QueuedItem, error)
	// SteerQueued has a message that waits steer the run that it waits for.
	SteerQueued(ctx context.Context, conversationID, id string) (agent.QueuedItem, error)
}

// RunStore has what commands on runs at work read and write.
type RunStore interface {
	RunReader
	// RequestAbort marks a run; a paused or queued one becomes claimable.
	// Idempotent, also for ended runs.
	RequestAbort(ctx context.Context, runID, by string) error
	// RequestTakeover marks a run to end with a person's answer. Conflict where it has
	// ended, or is to end.
	RequestTakeover(ctx context.Context, runID, by, answer string) error
	// EndingBelow are the runs below a run that are marked to end and have not ended.
	EndingBelow(ctx context.Context, runID string) ([]agent.Run, error)
	// HasOpenChildren reports whether a child of the run has not ended.
	HasOpenChildren(ctx context.Context, runID string) (bool, error)
	// ChildOf is the child run that a call has made; NotFound where it made none.
	ChildOf(ctx context.Context, runID, callID string) (string, error)
	// ChangePlan gives a run that waits a person's plan. Conflict where it does not wait.
	ChangePlan(ctx context.Context, runID, by string, steps []agent.PlanStep) error
	// TellStandstills tells the parents of open child runs that have had no event since a
	// time, at most limit of them, once for each standstill.
	TellStandstills(ctx context.Context, before time.Time, limit int) error
}
