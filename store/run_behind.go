package store

import (
	"context"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// EnqueueBehind stores a run that goes on behind a message; see service.MessageStore.
func (s *Runs) EnqueueBehind(ctx context.Context, a agent.RunBehind) (agent.Enqueued, error) {
	done := agent.Enqueued{RunID: a.RunID}
	if a.Replaces != "" {
		defer s.forget(a.ConversationID)
	}
	err := s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		if err := s.db.Room(); err != nil {
			return err
		}
		if err := s.mayAskMore(t, a.UserID); err != nil {
			return err
		}
		from, err := beginsBehind(ctx, t, a)
		if err != nil {
			return err
		}
		done.MessageID = from.ID
		state := agent.RunState{
			DocumentID: a.DocumentID, Outputs: a.Outputs, Purposes: a.Purposes, NoInstructions: a.NoInstructions, Values: a.Values, Plan: agent.Plan{Steps: a.Plan}, Workflow: a.Workflow,
			Untrusted: a.Untrusted, Hosts: a.Hosts,
		}
		if from.Role == agent.FromAssistant {
			state.Unfinished, state.Reminders = true, []string{a.GoOn}
		}
		run := agent.Run{
			ID: a.RunID, ConversationID: a.ConversationID, UserID: a.UserID, Status: agent.StatusQueued, Agent: a.Agent, AgentVersion: a.AgentVersion,
			Model: a.Model, Limits: a.Limits, State: state, CreatedAt: agent.Stamp(s.clock),
		}
		if err := insertRun(t, run, origin{tokenID: a.TokenID, messageID: from.ID}); err != nil {
			return err
		}
		if a.Replaces != "" {
			if _, err := deleteVersion(ctx, t, a.ConversationID, a.Replaces); err != nil {
				return err
			}
		}
		return chooseLeaf(ctx, t, a.ConversationID, from.ID, run.ID)
	})
	return done, err
}

// beginsBehind is the message behind which a run begins: the one that is named, or where a failed
// run continues.
func beginsBehind(ctx context.Context, t *sqlite.Tx, a agent.RunBehind) (agent.Message, error) {
	var owned bool
	err := t.Row(`SELECT TRUE FROM conversations WHERE id = $1 AND owner_id = $2`, a.ConversationID, a.UserID).Scan(&owned)
	if err != nil {
		return agent.Message{}, sqlite.NotFound(err, agent.NoConversation)
	}
	if a.FailedID != "" {
		return goesOnFrom(ctx, t, a)
	}
	return messageOf(t, a.MessageID)
}

// goesOnFrom is the message behind which a failed run continues: the conversation's newest, whichever
// branch is chosen. Text that broke off is left out: the model writes its answer again.
func goesOnFrom(ctx context.Context, t *sqlite.Tx, a agent.RunBehind) (agent.Message, error) {
	var newest, start string
	err := t.Row(`SELECT r.id, r.message_id FROM runs r WHERE r.conversation_id = $1 AND r.parent_run_id = '' AND r.deleted_at = 0
		ORDER BY r.id DESC LIMIT 1`, a.ConversationID).Scan(&newest, &start)
	if err != nil {
		return agent.Message{}, sqlite.NotFound(err, agent.NoRun)
	}
	if newest != a.FailedID {
		return agent.Message{}, agent.Errorf(agent.Conflict, "The conversation has continued since. Send a message to continue from here.")
	}
	id, err := newestOf(ctx, t.Reader(), a.FailedID)
	if err != nil {
		return agent.Message{}, err
	}
	m, err := messageOf(t, id)
	for range maxBranch { // several, where an answer was cut and its continuation broke off
		if err != nil || m.ID == start || m.Role != agent.FromAssistant || len(m.ToolCalls) > 0 {
			break
		}
		m, err = messageOf(t, m.ParentID)
	}
	return m, err
}
