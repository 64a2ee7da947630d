package service

import (
	"context"
	"errors"

	"fusebox/agent"
)

// addQueued has a message wait for the run that works; what it says is checked by now.
func (s *Messages) addQueued(ctx context.Context, v agent.Viewer, p Post) (agent.Queued, error) {
	switch {
	case p.Supersede:
		return agent.Queued{}, agent.InvalidField("queue", "a message that waits goes behind all others; it does not take supersede")
	case p.ParentID == agent.RootParent:
		return agent.Queued{}, agent.InvalidField("queue", "a message that begins the conversation once more does not wait; send it once nothing works")
	case len(p.Outputs) > 0, len(p.Purposes) > 0:
		return agent.Queued{}, agent.InvalidField("queue", "a message that waits takes no outputs of its own; declare them for the conversation, or send it once nothing works")
	}
	if p.ParentID != "" {
		if _, err := s.Store.PathTo(ctx, p.ConversationID, p.ParentID); agent.CodeOf(err) == agent.NotFound {
			return agent.Queued{}, agent.InvalidField("parentId", "is not a message of this conversation")
		} else if err != nil {
			return agent.Queued{}, err
		}
	}
	return s.Store.AddQueued(ctx, agent.QueuedMessage{
		ID: s.NewID(), ConversationID: p.ConversationID, UserID: v.UserID, TokenID: v.Token,
		ClientID: p.ClientID, Content: p.Content, DocumentID: p.DocumentID, Agent: p.Agent, Workflow: p.Workflow, Inputs: p.Inputs, ParentID: p.ParentID,
	})
}

// doneOf is what a message has become that was to wait.
func doneOf(q agent.Queued) agent.Enqueued {
	if q.Was != nil {
		return *q.Was
	}
	return agent.Enqueued{QueuedID: q.ID}
}

// Queue is what waits in a conversation that the viewer may see.
func (s *Messages) Queue(ctx context.Context, v agent.Viewer, conversationID string) (agent.Queue, error) {
	if _, err := s.Store.Conversation(ctx, v, conversationID); err != nil {
		return agent.Queue{}, err
	}
	return s.Store.Queue(ctx, conversationID)
}

// ChangeQueued changes the text or the place of a message that waits for its turn; for the
// owner of the conversation. NotFound where it does not wait.
func (s *Messages) ChangeQueued(ctx context.Context, v agent.Viewer, conversationID, id string, p agent.QueuedPatch) error {
	if _, err := s.writable(ctx, v, conversationID); err != nil {
		return err
	}
	if p.Content != nil {
		if err := checkPost(Post{Content: *p.Content}); err != nil {
			return err
		}
	}
	if p.Position != nil && *p.Position < 0 {
		return agent.InvalidField("position", "counts from 0")
	}
	return s.Store.ChangeQueued(ctx, conversationID, id, p)
}

// RemoveQueued takes a message back that waits, also one that steers a run and was not heard
// yet; for the owner. NotFound where it does not wait.
func (s *Messages) RemoveQueued(ctx context.Context, v agent.Viewer, conversationID, id string) error {
	if _, err := s.writable(ctx, v, conversationID); err != nil {
		return err
	}
	return s.Store.RemoveQueued(ctx, conversationID, id)
}

// ResumeQueue lets a queue that is held go on; for the owner. Idempotent.
func (s *Messages) ResumeQueue(ctx context.Context, v agent.Viewer, conversationID string) error {
	if _, err := s.writable(ctx, v, conversationID); err != nil {
		return err
	}
	if err := s.Store.ResumeQueue(ctx, conversationID); err != nil {
		return err
	}
	return s.SendNext(ctx, conversationID)
}

// Steer has a run at work hear what its owner says, at its next step. Of a tree it is the root
// that hears it. Conflict where that has ended, or is to end.
func (s *Messages) Steer(ctx context.Context, v agent.Viewer, runID string, p Post) (agent.QueuedItem, error) {
	run, err := s.Store.Run(ctx, v, runID)
	if err != nil {
		return agent.QueuedItem{}, err
	}
	if run.UserID != v.UserID {
		return agent.QueuedItem{}, agent.Errorf(agent.Forbidden, "Only its owner can steer this run.")
	}
	if err := checkPost(p); err != nil {
		return agent.QueuedItem{}, err
	}
	return s.steered(s.Store.AddSteer(ctx, agent.QueuedMessage{
		ID: s.NewID(), ConversationID: run.ConversationID, RunID: run.RootID(), UserID: v.UserID, TokenID: v.Token, ClientID: p.ClientID, Content: p.Content,
	}))
}

// SteerQueued has a message that waits for its turn steer the run instead that it waits for.
func (s *Messages) SteerQueued(ctx context.Context, v agent.Viewer, conversationID, id string) (agent.QueuedItem, error) {
	if _, err := s.writable(ctx, v, conversationID); err != nil {
		return agent.QueuedItem{}, err
	}
	return s.steered(s.Store.SteerQueued(ctx, conversationID, id))
}

// steered has the run look at what was stored for it.
func (s *Messages) steered(done agent.QueuedItem, err error) (agent.QueuedItem, error) {
	if err == nil {
		s.Runner.Steer(done.SteersRunID)
		s.Runner.Wake()
	}
	return done, err
}

// SendNext has the messages answered whose turn has come: of one conversation, or of all for
// "". What goes wrong is tried again the next time.
func (s *Messages) SendNext(ctx context.Context, conversationID string) (err error) {
	ready, err := s.Store.ReadyQueued(ctx, conversationID, dueBatch)
	for _, m := range ready {
		err = errors.Join(err, s.sendOrHold(ctx, m))
	}
	return err
}

// sendOrHold sends a message whose turn has come. Where that is refused the queue is held, and
// the conversation told why; unless somebody was faster.
func (s *Messages) sendOrHold(ctx context.Context, m agent.QueuedMessage) error {
	err := s.sendOne(ctx, m)
	var refused *agent.Error
	if !errors.As(err, &refused) || refused.Code == agent.Unavailable || refused.Code == agent.Internal {
		return err
	}
	still, err := s.Store.ReadyQueued(ctx, m.ConversationID, 1)
	if err != nil || len(still) == 0 || still[0].ID != m.ID || still[0].Content != m.Content {
		return err
	}
	return s.Store.HoldQueue(ctx, m.ConversationID, "The next message was not sent. "+refused.Message)
}

func (s *Messages) sendOne(ctx context.Context, m agent.QueuedMessage) error {
	u, err := s.Store.UserByID(ctx, m.UserID)
	if err != nil {
		return err
	}
	if u.Disabled {
		return agent.Errorf(agent.Forbidden, "The account of its author is disabled.")
	}
	v := u.Viewer()
	v.Token = m.TokenID
	conv, err := s.writable(ctx, v, m.ConversationID)
	if err != nil {
		return err
	}
	p := Post{ConversationID: conv.ID, Content: m.Content, ClientID: m.ClientID, DocumentID: m.DocumentID, Agent: m.Agent, Workflow: m.Workflow, Inputs: m.Inputs, ParentID: m.ParentID, queuedID: m.ID}
	if err := s.checkDocument(ctx, v.UserID, p.DocumentID); err != nil {
		return err
	}
	if err := checkAgent(ctx, s.Store, p.Agent); err != nil {
		return err
	}
	_, err = s.send(ctx, v, *conv, p)
	return err
}
