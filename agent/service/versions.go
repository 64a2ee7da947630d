package service

import (
	"cmp"
	"context"

	"fusebox/agent"
)

// Retry starts a run that continues where a failed one stopped: finished work
// is kept and not repeated, also by an agent that was deleted since. The model is the
// one that the conversation names now. Conflict while a run is active, where the run did not fail, or
// where the conversation has continued since.
func (s *Messages) Retry(ctx context.Context, v agent.Viewer, runID string) (agent.Enqueued, error) {
	failed, err := s.Store.Run(ctx, v, runID)
	if err != nil {
		return agent.Enqueued{}, err
	}
	if failed.UserID != v.UserID {
		return agent.Enqueued{}, agent.Errorf(agent.Forbidden, "Only its owner can retry this.")
	}
	if failed.Status != agent.StatusFailed {
		return agent.Enqueued{}, agent.Errorf(agent.Conflict, "This run did not fail. Send a message to continue.")
	}
	b, err := s.behind(ctx, v, *failed, "")
	if err != nil {
		return agent.Enqueued{}, err
	}
	b.FailedID = failed.ID
	return s.enqueueBehind(ctx, goingOn(b, *failed))
}

// Regenerate asks for a new answer to a person's message, which is another version of the answers that
// it has.
type Regenerate struct {
	// MessageID is the person's message, or any message of an answer to it.
	MessageID string
	// Model is for this answer alone, "" for the one that would answer now.
	Model string
	// Supersede aborts a paused run first. Replace deletes the version that the message is of.
	Supersede, Replace bool
}

// Regenerate starts a run that answers a person's message once more, with what that message declared.
// What it is asked is the branch up to that message. Conflict while a run is active.
func (s *Messages) Regenerate(ctx context.Context, v agent.Viewer, in Regenerate) (agent.Enqueued, error) {
	version, err := s.ownVersion(ctx, v, in.MessageID)
	if err != nil {
		return agent.Enqueued{}, err
	}
	if in.Replace && version.Asks() {
		return agent.Enqueued{}, agent.InvalidField("replace", "is for answers; name a message of the one to replace")
	}
	if in.Model != "" {
		if err := s.Models.Check(in.Model); err != nil {
			return agent.Enqueued{}, err
		}
	}
	first, err := s.Store.Run(ctx, v, version.AskedRunID)
	if err != nil {
		return agent.Enqueued{}, err
	}
	b, err := s.behind(ctx, v, *first, in.Model)
	if err != nil {
		return agent.Enqueued{}, err
	}
	if in.Supersede {
		if err := s.supersede(ctx, v, version.ConversationID); err != nil {
			return agent.Enqueued{}, err
		}
	}
	if b.MessageID = version.AskedID; in.Replace {
		b.Replaces = version.ID
	}
	return s.enqueueBehind(ctx, b)
}

// goOn asks a model to go on with an answer that is the last message of its request.
const goOn = "[System reminder] Your answer above was cut off. Continue it exactly where it stopped: do not repeat or summarise any of it, and do not comment on this."

// Continue starts a run that goes on with an answer that was cut: by the output limit, or because its
// run was ended before. Conflict where the answer is whole, and while a run is active.
func (s *Messages) Continue(ctx context.Context, v agent.Viewer, messageID string) (agent.Enqueued, error) {
	version, err := s.ownVersion(ctx, v, messageID)
	if err != nil {
		return agent.Enqueued{}, err
	}
	switch {
	case version.Asks():
		return agent.Enqueued{}, agent.Errorf(agent.Conflict, "Only an answer can be continued. Ask for a new one.")
	case !version.Cut:
		return agent.Enqueued{}, agent.Errorf(agent.Conflict, "This answer was not cut off. Send a message to continue.")
	}
	cut, err := s.Store.Run(ctx, v, version.RunID)
	if err != nil {
		return agent.Enqueued{}, err
	}
	if cut.State.Workflow != nil {
		return agent.Enqueued{}, agent.Errorf(agent.Conflict, "This answer is a workflow's. Ask for a new one.")
	}
	b, err := s.behind(ctx, v, *cut, "")
	if err != nil {
		return agent.Enqueued{}, err
	}
	b.MessageID = version.Newest
	return s.enqueueBehind(ctx, goingOn(b, *cut))
}

// behind is a run by the agent, and with what was declared, of one before it. Without a model it takes
// the one that the conversation names now.
func (s *Messages) behind(ctx context.Context, v agent.Viewer, before agent.Run, model string) (b agent.RunBehind, err error) {
	conv, err := s.Store.Conversation(ctx, v, before.ConversationID)
	if err != nil {
		return b, err
	}
	by, err := agentOfRun(ctx, s.Store, before)
	if err == nil && by.Name == "" && before.State.Workflow == nil {
		by, err = agentOf(ctx, s.Store, conv.Agent)
	}
	if err != nil {
		return b, err
	}
	by.Model = cmp.Or(model, by.Model)
	p, err := s.newMessage(ctx, v, *conv, by, Post{ConversationID: conv.ID})
	b = agent.RunBehind{
		ConversationID: conv.ID, UserID: v.UserID, TokenID: v.Token, RunID: p.RunID, Agent: p.Agent, AgentVersion: p.AgentVersion, Model: p.Model, Limits: p.Limits,
		DocumentID: before.State.DocumentID, Outputs: before.State.Outputs, Purposes: before.State.Purposes, NoInstructions: p.NoInstructions,
	}
	if flow := before.State.Workflow; flow != nil {
		b.Workflow = &agent.WorkflowRun{Name: flow.Name, Version: flow.Version, Inputs: flow.Inputs}
	}
	return b, err
}

// goingOn is a run that goes on with what another one has delivered and planned, and with the steps of
// its workflow that are done.
func goingOn(b agent.RunBehind, before agent.Run) agent.RunBehind {
	b.GoOn, b.Values, b.Plan, b.Workflow = goOn, before.State.Values, before.State.Plan.Steps, before.State.Workflow
	return b
}

func (s *Messages) enqueueBehind(ctx context.Context, b agent.RunBehind) (agent.Enqueued, error) {
	var done agent.Enqueued
	err := s.afterStop(ctx, b.ConversationID, func() (err error) {
		done, err = s.Store.EnqueueBehind(ctx, b)
		return err
	})
	if err == nil {
		s.Runner.Wake()
	}
	return done, err
}

// ownVersion is Version for what only the owner of the conversation may do.
func (s *Messages) ownVersion(ctx context.Context, v agent.Viewer, messageID string) (agent.Version, error) {
	version, err := s.Store.Version(ctx, v, messageID)
	if err != nil {
		return version, err
	}
	conv, err := s.Store.Conversation(ctx, v, version.ConversationID)
	if err == nil && conv.OwnerID != v.UserID {
		err = agent.Errorf(agent.Forbidden, "Only its owner can change this conversation.")
	}
	return version, err
}

// DeleteMessage deletes the version that a message is of with all that follows it. What was paid and done
// stays. Conflict while a run works on it.
func (s *Messages) DeleteMessage(ctx context.Context, v agent.Viewer, messageID string) (agent.Below, error) {
	version, err := s.ownVersion(ctx, v, messageID)
	if err != nil {
		return agent.Below{}, err
	}
	var gone agent.Below
	err = s.afterStop(ctx, version.ConversationID, func() (err error) {
		gone, err = s.Store.DeleteVersion(ctx, version)
		return err
	})
	return gone, err
}

// Below counts what would go with the version that a message is of.
func (s *Messages) Below(ctx context.Context, v agent.Viewer, messageID string) (agent.Below, error) {
	version, err := s.Store.Version(ctx, v, messageID)
	if err != nil {
		return agent.Below{}, err
	}
	return s.Store.Below(ctx, version)
}

// Effects are the calls at and below a version that have changed something, or may have: what stays done
// where another version is begun.
func (s *Messages) Effects(ctx context.Context, v agent.Viewer, messageID string) ([]agent.ToolCall, error) {
	version, err := s.Store.Version(ctx, v, messageID)
	if err != nil {
		return nil, err
	}
	calls, err := s.Store.CallsBelow(ctx, version)
	if err != nil {
		return nil, err
	}
	effects := calls[:0]
	for _, c := range calls {
		spec, known := s.Tools.Lookup(c.Name)
		if c.Name != agent.DelegateTool && (!known || spec.Effect != agent.EffectRead && spec.Effect != agent.EffectNetwork && !spec.Pure) {
			effects = append(effects, c)
		}
	}
	return effects, nil
}
