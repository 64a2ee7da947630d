package service

import (
	"context"

	"fusebox/agent"
)

// Retry starts a run that continues where a failed one stopped: finished work
// is kept and not repeated. The model is the one that the conversation
// names now. Conflict while a run is active, where the run did not fail, or
// where the conversation has continued since.
func (d *Runs) Retry(ctx context.Context, v agent.Viewer, runID string) (agent.Enqueued, error) {
	failed, err := d.Store.Run(ctx, v, runID)
	if err != nil {
		return agent.Enqueued{}, err
	}
	if failed.UserID != v.UserID {
		return agent.Enqueued{}, agent.Errorf(agent.Forbidden, "Only its owner can retry this.")
	}
	conv, err := d.Store.Conversation(ctx, v, failed.ConversationID)
	if err != nil {
		return agent.Enqueued{}, err
	}
	if failed.Status != agent.StatusFailed {
		return agent.Enqueued{}, agent.Errorf(agent.Conflict, "This run did not fail. Send a message to continue.")
	}
	config, err := d.Store.GuardConfig(ctx)
	if err != nil {
		return agent.Enqueued{}, err
	}
	rules, err := chatRules(ctx, d.Store)
	if err != nil {
		return agent.Enqueued{}, err
	}
	p := d.newMessage(*conv, v, Post{ConversationID: conv.ID}, config.Effective(d.Guards, conv.Guards), rules)
	if p.Model, err = d.modelOf(ctx, v, *conv); err != nil {
		return agent.Enqueued{}, err
	}
	again := agent.RetryRun{
		ConversationID: conv.ID, UserID: v.UserID, TokenID: v.Token, FailedID: failed.ID, RunID: p.RunID, Model: p.Model, Limits: p.Limits,
		Outputs: failed.State.Outputs, Purposes: failed.State.Purposes, NoInstructions: p.NoInstructions, Values: failed.State.Values,
	}
	if err := d.Store.EnqueueRetry(ctx, again); err != nil {
		return agent.Enqueued{}, err
	}
	d.Runner.Wake()
	return agent.Enqueued{RunID: again.RunID}, nil
}
