package service

import (
	"context"
	"time"

	"fusebox/agent"
)

// RunStore is the part of the store that people's commands need.
type RunStore interface {
	// Enqueue stores a person's message and the run that answers it in one
	// transaction. The same ClientID again returns the same ids with
	// Existing set. Conflict while a run of the conversation is active.
	Enqueue(ctx context.Context, p agent.NewMessage) (agent.Enqueued, error)
	// Conversation, Run and Approval check the viewer in the query: what they
	// may not see is NotFound.
	Conversation(ctx context.Context, v agent.Viewer, id string) (*agent.Conversation, error)
	Run(ctx context.Context, v agent.Viewer, id string) (*agent.Run, error)
	Approval(ctx context.Context, v agent.Viewer, id string) (*agent.Approval, error)
	// EnqueueAgain stores a run that continues where a failed one stopped. Conflict
	// while a run is active, or where the conversation has continued since.
	EnqueueRetry(ctx context.Context, a agent.RetryRun) error
	// ChangeApproval commits what a person, or time, does to an approval, with
	// everything that is written with it. Conflict with Standing set to the
	// current *Approval if someone else was first.
	ChangeApproval(ctx context.Context, e agent.ApprovalUpdate) (*agent.Approval, error)
	// Due returns pending approvals whose DueAt has come, oldest first.
	Due(ctx context.Context, now time.Time, limit int) ([]agent.Approval, error)
	// CountDeciders counts the enabled reviewers and admins, without some by e-mail address.
	CountDeciders(ctx context.Context, without []string) (int, error)
	// PolicyRules are those of admins and of approvals that are in force.
	PolicyRules(ctx context.Context) ([]agent.PolicyRule, error)
	// User returns an account by its id.
	UserByID(ctx context.Context, id string) (*agent.User, error)
	// RequestAbort marks a run; a paused or queued one becomes claimable.
	// Idempotent, also for ended runs.
	RequestAbort(ctx context.Context, runID, by string) error
	// PendingApprovalIDs are the run's approvals that can be decided, oldest first.
	PendingApprovalIDs(ctx context.Context, runID string) ([]string, error)
	// RequestTakeover marks a run to end with a person's answer. Conflict where it has
	// ended, or is to end.
	RequestTakeover(ctx context.Context, runID, by, answer string) error
	// Refilled returns budget approvals that wait, or have expired waiting, whose
	// RefillAt has come, oldest first.
	Refilled(ctx context.Context, now time.Time, limit int) ([]agent.Approval, error)
	settingReader
	// GuardConfig returns what admins have changed of the breakers.
	GuardConfig(ctx context.Context) (agent.GuardConfig, error)
	// ActiveRun returns the conversation's run that is queued, running or paused; NotFound if none.
	ActiveRun(ctx context.Context, conversationID string) (*agent.Run, error)
}
