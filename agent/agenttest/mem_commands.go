package agenttest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"fusebox/agent"
)

var _ Journal = (*MemJournal)(nil)

// Enqueue implements service.RunStore.
func (j *MemJournal) Enqueue(_ context.Context, p agent.NewMessage) (done agent.Enqueued, err error) {
	err = j.write(func(s *memState) error {
		for _, r := range s.runs {
			if p.ClientID != "" && r.ConversationID == p.ConversationID && r.clientID == p.ClientID {
				done = agent.Enqueued{MessageID: r.messageID, RunID: r.ID, Existing: true}
				return nil
			}
		}
		done = agent.Enqueued{MessageID: p.MessageID, RunID: p.RunID}
		if err := s.enqueue(j.clock, p); err != nil || p.Claim == nil {
			return err
		}
		done.Started, err = s.begin(j.clock, p)
		return err
	})
	return done, err
}

func (s *memState) enqueue(clock agent.Clock, p agent.NewMessage) error {
	c, ok := s.conversations[p.ConversationID]
	if !ok || c.OwnerID != p.UserID {
		return errNoConversation()
	}
	if p.ParentID == "" {
		p.ParentID = c.LeafID
	} else if s.messages[p.ParentID].ConversationID != c.ID {
		return agent.InvalidField("parentId", "is not a message of this conversation")
	}
	if _, active := s.activeRun(c.ID); active {
		return agent.Errorf(agent.Conflict, "A run of this conversation is still active.")
	}
	c.Title = cmp.Or(c.Title, p.Title)
	s.conversations[c.ID] = c
	now := agent.Stamp(clock)
	s.runs[p.RunID] = memRun{clientID: p.ClientID, messageID: p.MessageID, Run: agent.Run{
		ID: p.RunID, ConversationID: c.ID, UserID: p.UserID, Status: agent.StatusQueued,
		Model: p.Model, Limits: p.Limits, CreatedAt: now, State: agent.RunState{Outputs: p.Outputs, Purposes: p.Purposes, NoInstructions: p.NoInstructions},
	}}
	m := agent.Message{
		ID: p.MessageID, ConversationID: c.ID, ParentID: p.ParentID, Role: agent.FromUser,
		Content: p.Content, RunID: p.RunID, CreatedAt: now,
	}
	s.addMessage(m)
	_, err := s.tell(clock, c.ID, []agent.Event{{RunID: p.RunID, Data: agent.MessageEvent{Message: m}}})
	return err
}

// begin claims the run of a new message.
func (s *memState) begin(clock agent.Clock, p agent.NewMessage) (*agent.Run, error) {
	row := s.runs[p.RunID]
	row.Status, row.StartedAt, row.Epoch = agent.StatusRunning, row.CreatedAt, 1
	row.Owner, row.LeaseUntil = p.Claim.Owner, clock.Now().Add(p.Claim.Lease)
	s.runs[p.RunID] = row
	run := copied(row.Run)
	_, err := s.tell(clock, p.ConversationID, []agent.Event{{RunID: run.ID, Data: agent.RunStart{Model: run.Model, Limits: run.Limits}}})
	return &run, err
}

// EnqueueRetry implements service.RunStore.
func (j *MemJournal) EnqueueRetry(_ context.Context, a agent.RetryRun) error {
	return j.write(func(s *memState) error {
		c, failed := s.conversations[a.ConversationID], s.runs[a.FailedID]
		for id := range s.runs {
			if s.runs[id].ConversationID == c.ID && id > a.FailedID {
				return agent.Errorf(agent.Conflict, "The conversation has continued since.")
			}
		}
		from := s.messages[c.LeafID]
		if from.RunID != a.FailedID && from.ID != failed.messageID {
			return agent.Errorf(agent.Conflict, "The conversation has continued since.")
		}
		for from.Role == agent.FromAssistant && len(from.ToolCalls) == 0 {
			from = s.messages[from.ParentID]
		}
		s.runs[a.RunID] = memRun{messageID: from.ID, newest: from.ID, Run: agent.Run{
			ID: a.RunID, ConversationID: c.ID, UserID: a.UserID, Status: agent.StatusQueued, Model: a.Model, Limits: a.Limits,
			CreatedAt: agent.Stamp(j.clock), State: agent.RunState{Outputs: a.Outputs, Purposes: a.Purposes, NoInstructions: a.NoInstructions, Values: a.Values},
		}}
		c.LeafID = from.ID
		s.conversations[c.ID] = c
		return nil
	})
}

// Claim implements agent.Journal.
func (j *MemJournal) Claim(_ context.Context, owner string, lease time.Duration) (out *agent.Run, err error) {
	err = j.write(func(s *memState) error {
		now := j.clock.Now()
		for _, id := range slices.Sorted(maps.Keys(s.runs)) {
			row := s.runs[id]
			lost := row.Status == agent.StatusRunning && row.LeaseUntil.Before(now)
			due := row.Status == agent.StatusQueued && !row.WakeAt.After(now)
			if !due && !lost {
				continue
			}
			row.Status, row.Owner, row.LeaseUntil = agent.StatusRunning, owner, now.Add(lease)
			row.Epoch++
			s.runs[id] = row
			run := copied(row.Run)
			out = &run
			return nil
		}
		return agent.Errorf(agent.NotFound, "No run is ready.")
	})
	return out, err
}

// Renew implements agent.Journal.
func (j *MemJournal) Renew(_ context.Context, runID string, epoch int64, lease time.Duration) error {
	return j.write(func(s *memState) error {
		row, ok := s.runs[runID]
		if !ok || row.Epoch != epoch || row.Status != agent.StatusRunning {
			return agent.ErrStale
		}
		row.LeaseUntil = j.clock.Now().Add(lease)
		s.runs[runID] = row
		return nil
	})
}

// ChangeApproval implements service.RunStore.
func (j *MemJournal) ChangeApproval(_ context.Context, e agent.ApprovalUpdate) (out *agent.Approval, err error) {
	err = j.write(func(s *memState) error {
		found := s.approvalsWhere(func(b agent.Approval) bool { return b.ID == e.To.ID })
		if len(found) == 0 {
			return errNoApproval()
		}
		if stands := found[0]; stands.Version != e.To.Version {
			err := agent.Errorf(agent.Conflict, "Already decided: %s.", cmp.Or(string(stands.Decision), string(stands.Status)))
			err.Current = &stands
			return err
		}
		next := e.To
		next.Version++
		s.approvals[next.ID] = next
		if e.Frees {
			s.setFree(next.RunID, e.WakeAt)
		} else if next.Status == agent.ApprovalPending {
			s.setWaiting(next.RunID)
		}
		out = &next
		events := make([]agent.Event, len(e.Events))
		for i, data := range e.Events {
			events[i] = agent.Event{RunID: next.RunID, Data: data}
		}
		_, err := s.tell(j.clock, next.ConversationID, events)
		return err
	})
	return out, err
}

// CountDeciders implements service.RunStore.
func (j *MemJournal) CountDeciders(_ context.Context, without []string) (n int, err error) {
	err = j.read(func(s *memState) error {
		for _, u := range s.users {
			if u.Role.Reviews() && !u.Disabled && !slices.Contains(without, u.Email) {
				n++
			}
		}
		return nil
	})
	return n, err
}

// PolicyRules implements agent.Journal: there are none here.
func (j *MemJournal) PolicyRules(context.Context) ([]agent.PolicyRule, error) { return nil, nil }

// ApprovalMode implements agent.Journal.
func (j *MemJournal) ApprovalMode(_ context.Context, conversationID string) (m agent.ApprovalMode, err error) {
	err = j.read(func(s *memState) error {
		m = s.conversations[conversationID].ApprovalMode
		return nil
	})
	return m, err
}

// UserByID implements service.RunStore.
func (j *MemJournal) UserByID(_ context.Context, id string) (out *agent.User, err error) {
	err = j.read(func(s *memState) error {
		u, ok := s.users[id]
		if !ok {
			return agent.Errorf(agent.NotFound, "There is no such account.")
		}
		out = &u
		return nil
	})
	return out, err
}

// GuardConfig implements service.RunStore: nothing is changed here.
func (j *MemJournal) GuardConfig(context.Context) (agent.GuardConfig, error) {
	return agent.GuardConfig{}, nil
}

// setFree queues a run that is paused, and lets one that is queued wait no
// longer than that.
func (s *memState) setFree(runID string, wake time.Time) {
	row := s.runs[runID]
	if row.Status == agent.StatusPaused || (row.Status == agent.StatusQueued && wake.Before(row.WakeAt)) {
		row.Status, row.WakeAt = agent.StatusQueued, wake
		s.runs[runID] = row
	}
}

// setWaiting pauses a run that was to wake for a decision that was taken back.
func (s *memState) setWaiting(runID string) {
	row := s.runs[runID]
	left := s.approvalsWhere(func(a agent.Approval) bool {
		return a.RunID == runID && a.Status == agent.ApprovalDecided && !a.Applied
	})
	if row.Status == agent.StatusQueued && !row.WakeAt.IsZero() && row.AbortBy == "" && len(left) == 0 {
		row.Status, row.WakeAt = agent.StatusPaused, time.Time{}
		s.runs[runID] = row
	}
}

// RequestAbort implements service.RunStore.
func (j *MemJournal) RequestAbort(_ context.Context, runID, by string) error {
	return j.write(func(s *memState) error {
		_, err := s.markToEnd(runID, by, "")
		return err
	})
}

// RequestTakeover implements service.RunStore.
func (j *MemJournal) RequestTakeover(_ context.Context, runID, by, answer string) error {
	return j.write(func(s *memState) error {
		marked, err := s.markToEnd(runID, by, answer)
		if err == nil && !marked {
			err = agent.Errorf(agent.Conflict, "This run has ended, or somebody has stopped it.")
		}
		return err
	})
}

func (s *memState) markToEnd(runID, by, answer string) (marked bool, err error) {
	row, ok := s.runs[runID]
	if !ok {
		return false, errNoRun()
	}
	if row.Status.Ended() || row.AbortBy != "" {
		return false, nil
	}
	row.AbortBy, row.Takeover = by, answer
	s.runs[runID] = row
	s.setFree(runID, time.Time{})
	return true, nil
}

// Setting implements service.RunStore: nothing is set.
func (j *MemJournal) Setting(context.Context, string) (string, error) { return "", nil }
