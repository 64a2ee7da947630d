package agent

import "context"

// TryAgain starts a run that goes on where a failed one stopped: what was done
// stands, and is not done again. The model is the one that the conversation
// names now. Conflict while a run is active, where the run did not fail, or
// where the conversation has gone on since.
func (d *Desk) TryAgain(ctx context.Context, v Viewer, runID string) (Enqueued, error) {
	failed, err := d.Store.Run(ctx, v, runID)
	if err != nil {
		return Enqueued{}, err
	}
	if failed.UserID != v.UserID {
		return Enqueued{}, Errorf(Forbidden, "Only its owner can try this again.")
	}
	conv, err := d.Store.Conversation(ctx, v, failed.ConversationID)
	if err != nil {
		return Enqueued{}, err
	}
	if failed.Status != StatusFailed {
		return Enqueued{}, Errorf(Conflict, "This run did not fail. Send a message to go on.")
	}
	config, err := d.Store.GuardConfig(ctx)
	if err != nil {
		return Enqueued{}, err
	}
	p := d.prompt(*conv, v, Post{ConversationID: conv.ID}, config.Effective(d.Guards, conv.Guards))
	again := Again{
		ConversationID: conv.ID, UserID: v.UserID, FailedID: failed.ID, RunID: p.RunID, Model: p.Model, Limits: p.Limits,
		Outputs: failed.State.Outputs, Values: failed.State.Values,
	}
	if err := d.Store.EnqueueAgain(ctx, again); err != nil {
		return Enqueued{}, err
	}
	d.Runner.Wake()
	return Enqueued{RunID: again.RunID}, nil
}
