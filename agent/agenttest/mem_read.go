package agenttest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"fusebox/agent"
)

func errNoRun() error { return agent.Errorf(agent.NotFound, "There is no such run.") }
func errNoConversation() error {
	return agent.Errorf(agent.NotFound, "This conversation doesn't exist or isn't yours.")
}
func errNoApproval() error { return agent.Errorf(agent.NotFound, "There is no such approval.") }

// Snapshot implements agent.Journal.
func (j *MemJournal) Snapshot(_ context.Context, runID string) (*agent.Snapshot, error) {
	var snap *agent.Snapshot
	err := j.read(func(s *memState) error {
		run, ok := s.runs[runID]
		if !ok {
			return errNoRun()
		}
		c := s.conversations[run.ConversationID]
		snap = &agent.Snapshot{
			Run: copied(run.Run), Conversation: c, OwnerEmail: s.users[c.OwnerID].Email, OwnerRole: s.users[c.OwnerID].Role, OwnerOutput: s.users[c.OwnerID].OutputMode,
			OwnerMemoryOff: s.users[c.OwnerID].MemoryOff,
			Compactions:    slices.DeleteFunc(slices.Clone(s.compactions), func(k agent.Compaction) bool { return k.ConversationID != c.ID }),
			Branch:         s.branch(run.newest), Calls: s.callsOf(runID),
			Approvals: s.approvalsWhere(func(a agent.Approval) bool { return a.RunID == runID }), Grants: s.grants(run.Run),
		}
		return nil
	})
	return snap, err
}

// branch is the path from the root to a message, oldest first. It is bounded
// by what there is, so that a circle ends too.
func (s *memState) branch(id string) []agent.Message {
	var path []agent.Message
	for len(path) < len(s.messages) {
		m, ok := s.messages[id]
		if !ok {
			break
		}
		path = append(path, m)
		id = m.ParentID
	}
	slices.Reverse(path)
	return path
}

func (s *memState) callsOf(runID string) []agent.ToolCall {
	return slices.SortedFunc(slices.Values(s.calls[runID]), func(a, b agent.ToolCall) int {
		return cmp.Or(cmp.Compare(a.Step, b.Step), cmp.Compare(a.Index, b.Index))
	})
}

// approvalsWhere picks approvals, oldest first, with what the inbox shows of their conversations.
func (s *memState) approvalsWhere(keep func(agent.Approval) bool) []agent.Approval {
	var out []agent.Approval
	for _, a := range s.approvals {
		if keep(a) {
			c := s.conversations[a.ConversationID]
			a.ConversationTitle, a.OwnerID, a.OwnerEmail = c.Title, c.OwnerID, s.users[c.OwnerID].Email
			out = append(out, a)
		}
	}
	slices.SortFunc(out, func(a, b agent.Approval) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// grants are the earlier approvals that cover later calls of a run.
func (s *memState) grants(run agent.Run) []agent.Grant {
	var out []agent.Grant
	for _, a := range s.approvalsWhere(func(a agent.Approval) bool {
		return a.ConversationID == run.ConversationID && a.Kind == agent.KindTool && a.Status == agent.ApprovalDecided && a.RevokedAt.IsZero()
	}) {
		conversation := a.Scope == agent.ScopeConversation && a.Decision == agent.DecideApprove
		own := a.Scope == agent.ScopeRun && a.RunID == run.ID && (a.Decision == agent.DecideApprove || a.Decision == agent.DecideEdit)
		if conversation || own {
			out = append(out, agent.Grant{
				ApprovalID: a.ID, Scope: a.Scope, ToolName: a.ToolName, ArgsHash: a.ArgsHash, Covers: a.Covers, Risk: a.Risk, DecidedBy: a.DecidedBy, DecidedAt: a.DecidedAt,
			}.BindTo(a.Evidence))
		}
	}
	return out
}

// LastAllowed implements agent.Journal.
func (j *MemJournal) LastAllowed(_ context.Context, conversationID, tool, argsHash string) (last *agent.Approval, err error) {
	err = j.read(func(s *memState) error {
		for _, a := range s.approvalsWhere(func(a agent.Approval) bool {
			return a.ConversationID == conversationID && a.ToolName == tool && a.ArgsHash == argsHash &&
				a.Kind == agent.KindTool && a.Status == agent.ApprovalDecided && a.Decision == agent.DecideApprove
		}) {
			if last == nil || !a.DecidedAt.Before(last.DecidedAt) {
				last = &a
			}
		}
		return nil
	})
	return last, err
}

// Decisions implements agent.Journal.
func (j *MemJournal) Decisions(_ context.Context, runID string) (out []agent.Approval, err error) {
	err = j.read(func(s *memState) error {
		out = s.decisions(runID, j.clock.Now())
		return nil
	})
	return out, err
}

func (s *memState) decisions(runID string, now time.Time) []agent.Approval {
	out := s.approvalsWhere(func(a agent.Approval) bool {
		return a.RunID == runID && a.Status == agent.ApprovalDecided && !a.Applied && !a.EffectiveAt.After(now)
	})
	slices.SortStableFunc(out, func(a, b agent.Approval) int { return a.DecidedAt.Compare(b.DecidedAt) })
	return out
}

// PendingApprovalIDs implements service.RunStore.
func (j *MemJournal) PendingApprovalIDs(_ context.Context, runID string) (ids []string, err error) {
	err = j.read(func(s *memState) error {
		for _, a := range s.approvalsWhere(func(a agent.Approval) bool { return a.RunID == runID && a.Status == agent.ApprovalPending }) {
			ids = append(ids, a.ID)
		}
		slices.Sort(ids)
		return nil
	})
	return ids, err
}

// Due implements service.RunStore.
func (j *MemJournal) Due(_ context.Context, now time.Time, limit int) (out []agent.Approval, err error) {
	err = j.read(func(s *memState) error {
		out = s.approvalsWhere(func(a agent.Approval) bool {
			return a.Status == agent.ApprovalPending && !a.DueAt.After(now)
		})
		slices.SortStableFunc(out, func(a, b agent.Approval) int { return a.DueAt.Compare(b.DueAt) })
		out = out[:min(limit, len(out))]
		return nil
	})
	return out, err
}

// Conversation implements service.RunStore.
func (j *MemJournal) Conversation(_ context.Context, v agent.Viewer, id string) (out *agent.Conversation, err error) {
	err = j.read(func(s *memState) error {
		c, ok := s.conversations[id]
		if !ok || (c.OwnerID != v.UserID && !v.SeesAll()) {
			return errNoConversation()
		}
		if run, active := s.activeRun(id); active {
			c.ActiveStatus = run.Status
		}
		out = &c
		return nil
	})
	return out, err
}

// Run implements service.RunStore.
func (j *MemJournal) Run(_ context.Context, v agent.Viewer, id string) (out *agent.Run, err error) {
	err = j.read(func(s *memState) error {
		row, ok := s.runs[id]
		asks := len(s.approvalsWhere(func(a agent.Approval) bool { return a.RunID == id })) > 0
		owns := s.conversations[row.ConversationID].OwnerID == v.UserID
		if !ok || (!owns && !v.SeesAll() && (!v.Role.Reviews() || !asks)) {
			return errNoRun()
		}
		run := copied(row.Run)
		out = &run
		return nil
	})
	return out, err
}

// Approval implements service.RunStore.
func (j *MemJournal) Approval(_ context.Context, v agent.Viewer, id string) (out *agent.Approval, err error) {
	err = j.read(func(s *memState) error {
		found := s.approvalsWhere(func(a agent.Approval) bool { return a.ID == id })
		if len(found) == 0 || (found[0].OwnerID != v.UserID && !v.Role.Reviews()) {
			return errNoApproval()
		}
		out = &found[0]
		return nil
	})
	return out, err
}

// ActiveRun implements service.RunStore.
func (j *MemJournal) ActiveRun(_ context.Context, conversationID string) (out *agent.Run, err error) {
	err = j.read(func(s *memState) error {
		row, ok := s.activeRun(conversationID)
		if !ok {
			return agent.Errorf(agent.NotFound, "No run of this conversation is active.")
		}
		run := copied(row.Run)
		out = &run
		return nil
	})
	return out, err
}

func (s *memState) activeRun(conversationID string) (memRun, bool) {
	for _, r := range s.runs {
		if r.ConversationID == conversationID && !r.Status.Ended() {
			return r, true
		}
	}
	return memRun{}, false
}

// Events returns at most limit events with seq > after, in order.
func (j *MemJournal) Events(_ context.Context, conversationID string, after int64, limit int) (out []agent.Event, err error) {
	err = j.read(func(s *memState) error {
		log := s.events[conversationID]
		log = log[min(max(int(after), 0), len(log)):] // numbers have no holes
		out = slices.Clone(log[:min(limit, len(log))])
		return nil
	})
	return out, err
}
