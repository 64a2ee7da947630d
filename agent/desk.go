package agent

import "context"

// Desk is where people's commands come in: a message, an abort, a decision.
// It checks rights and input, commits, and wakes the runner.
type Desk struct{}

// Post is a person's message. Supersede aborts a paused run first.
type Post struct {
	ConversationID string
	Content        string
	ClientID       string
	ParentID       string
	Supersede      bool
}

// Post stores the message and starts a run for it.
func (d *Desk) Post(ctx context.Context, v Viewer, p Post) (Enqueued, error) {
	return Enqueued{}, Errorf(Unavailable, "no loop yet")
}

// Abort ends a run; idempotent.
func (d *Desk) Abort(ctx context.Context, v Viewer, runID string) error {
	return Errorf(Unavailable, "no loop yet")
}

// Decide commits a decision on an approval.
func (d *Desk) Decide(ctx context.Context, v Viewer, approvalID string, dec Decision) (*Approval, error) {
	return nil, Errorf(Unavailable, "no loop yet")
}

// MayDecide reports whether the viewer has the right to decide a.
func (d *Desk) MayDecide(v Viewer, a Approval) bool { return v.Role.Reviews() }
