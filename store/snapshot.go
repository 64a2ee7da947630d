package store

import (
	"cmp"
	"context"
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Snapshot loads everything the Loop needs to continue with a run, as it is at one
// moment: a decision that is committed meanwhile is in all of it or in nothing.
func (s *Journal) Snapshot(ctx context.Context, runID string) (*agent.Snapshot, error) {
	var snap *agent.Snapshot
	err := s.db.View(ctx, func(from sqlite.Reader) (err error) {
		snap, err = s.readSnapshot(ctx, from, runID)
		return err
	})
	return snap, err
}

func (c *core) readSnapshot(ctx context.Context, from sqlite.Reader, runID string) (*agent.Snapshot, error) {
	run, err := scanRun(from.QueryRowContext(ctx, `SELECT `+runColumns+` FROM runs r WHERE r.id = $1`, runID))
	if err != nil {
		return nil, sqlite.NotFound(err, agent.NoRun)
	}
	snap := &agent.Snapshot{Run: run}
	if err := readConversation(ctx, from, snap); err != nil {
		return nil, err
	}
	if err := c.readHistory(ctx, from, snap); err != nil {
		return nil, err
	}
	if err := c.readProtection(ctx, from, snap); err != nil {
		return nil, err
	}
	if snap.Steers, err = sqlite.List(ctx, from, scanQueued, steering, run.ID); err != nil {
		return nil, err
	}
	return snap, readTree(ctx, from, snap)
}

// readConversation adds the run's conversation and its owner.
func readConversation(ctx context.Context, from sqlite.Reader, snap *agent.Snapshot) error {
	row := from.QueryRowContext(ctx, `SELECT `+conversationColumns+`, u.email, u.output_mode, u.role, u.memory_off
		FROM conversations c JOIN users u ON u.id = c.owner_id WHERE c.id = $1`, snap.Run.ConversationID)
	var err error
	snap.Conversation, err = scanConversation(beside{row, []any{&snap.OwnerEmail, &snap.OwnerOutput, &snap.OwnerRole, &snap.OwnerMemoryOff}})
	return err
}

// readHistory adds what was said and done so far.
func (c *core) readHistory(ctx context.Context, from sqlite.Reader, snap *agent.Snapshot) error {
	run := snap.Run
	newest, err := newestOf(ctx, from, run.ID)
	if err != nil {
		return err
	}
	if snap.Branch, err = c.branch(ctx, from, run, newest); err != nil {
		return err
	}
	if snap.Compactions, err = compactions(ctx, from, run.ConversationID); err != nil {
		return err
	}
	if snap.Calls, err = toolCallsOf(ctx, from, run.ID); err != nil {
		return err
	}
	snap.Approvals, err = sqlite.List(ctx, from, scanApproval, `SELECT `+approvalColumns+approvalFrom+`WHERE a.run_id = $1 ORDER BY a.id`, run.ID)
	return err
}

// readProtection adds what says whether later calls may run.
func (c *core) readProtection(ctx context.Context, from sqlite.Reader, snap *agent.Snapshot) error {
	var err error
	now := c.clock.Now()
	if snap.Grants, err = grants(ctx, from, snap.Run, now); err != nil {
		return err
	}
	if snap.Rules, err = policyRulesInForce(ctx, from, now); err != nil {
		return err
	}
	if snap.Deciders, err = countDeciders(ctx, from, nil); err != nil {
		return err
	}
	if snap.Guards, err = guardConfig(ctx, from); err != nil {
		return err
	}
	return c.readDefinitions(ctx, from, snap)
}

// readDefinitions adds the workflow that the run follows, or else all those that it can hand tasks to; and all agents, with
// its own in the version that it names.
func (c *core) readDefinitions(ctx context.Context, from sqlite.Reader, snap *agent.Snapshot) (err error) {
	if by := snap.Run.State.Workflow; by != nil {
		snap.Workflow, err = workflowDefinitions.get(ctx, from, by.Name, by.Version)
	} else {
		snap.Workflows, err = workflowDefinitions.current(ctx, from, &c.workflows)
	}
	if err != nil && agent.CodeOf(err) != agent.NotFound {
		return err
	}
	if snap.Agents, err = agentDefinitions.current(ctx, from, &c.agents); err == nil && snap.Run.Agent != "" {
		snap.Agent, err = agentDefinitions.get(ctx, from, snap.Run.Agent, snap.Run.AgentVersion)
	}
	return err
}

// grants are the earlier approvals that cover later calls of this run. An edit
// for the whole conversation is none of them: what was approved are the edited
// arguments, and the stored hash is the one of those that were replaced.
func grants(ctx context.Context, from sqlite.Reader, run agent.Run, now time.Time) ([]agent.Grant, error) {
	return sqlite.List(ctx, from, func(r sqlite.Scanner) (g agent.Grant, err error) {
		var covers, evidence string
		if err = r.Scan(&g.ApprovalID, &g.Scope, &g.ToolName, &g.ArgsHash, &covers, &g.Risk, &g.DecidedBy, sqlite.Time(&g.DecidedAt),
			&evidence); err != nil {
			return g, err
		}
		err = fromJSON(covers, &g.Covers)
		return g.BindTo(rawJSON(evidence)), err
	}, `SELECT id, scope, tool_name, args_hash, covers, risk, decided_by, decided_at,
		CASE WHEN evidence LIKE '%"filesDecide":true%' OR evidence LIKE '%"fingerprint":%' THEN evidence ELSE '{}' END FROM approvals
		WHERE kind = 'tool' AND status = 'decided' AND revoked_at = 0 AND conversation_id = $1 AND effective_at <= $2
		AND ((scope = 'conversation' AND decision = 'approve') OR (scope = 'run' AND run_id = $3 AND decision IN ('approve', 'edit')))
		ORDER BY id`, run.ConversationID, sqlite.MS(now), run.ID)
}

// beginning is what a run that is about to be stored begins with: its snapshot but
// for the run and its message. seq is where the conversation's log ended.
type beginning struct {
	snap *agent.Snapshot
	seq  int64
}

// readBeginning reads the beginning of a run while its message is being stored, so
// that the run need not wait for it. The function returned waits for it; nil where
// it could not be read, or is not needed.
func (s *Runs) readBeginning(ctx context.Context, p agent.NewMessage) (wait func() *beginning) {
	if p.Claim == nil {
		return func() *beginning { return nil }
	}
	found := make(chan *beginning, 1)
	ctx = context.WithoutCancel(ctx) // a run does not end with the request that starts it
	go func() {
		b := &beginning{}
		err := s.db.View(ctx, func(from sqlite.Reader) (err error) {
			b.snap, err = s.beginningOf(ctx, from, p)
			return err
		})
		if err != nil {
			found <- nil // what is wrong is told where the message is stored
			return
		}
		b.seq = b.snap.Conversation.LastSeq
		found <- b
	}()
	return func() *beginning { return <-found }
}

func (s *Runs) beginningOf(ctx context.Context, from sqlite.Reader, p agent.NewMessage) (*agent.Snapshot, error) {
	snap := &agent.Snapshot{Run: agent.Run{ID: p.RunID, ConversationID: p.ConversationID, Agent: p.Agent, AgentVersion: p.AgentVersion}}
	if p.Workflow != "" {
		snap.Run.State.Workflow = &agent.WorkflowRun{Name: p.Workflow, Version: p.WorkflowVersion}
	}
	if err := readConversation(ctx, from, snap); err != nil {
		return nil, err
	}
	var err error
	if parent := cmp.Or(p.ParentID, snap.Conversation.LeafID); parent != "" {
		if snap.Branch, err = s.branch(ctx, from, snap.Run, parent); err != nil {
			return nil, err
		}
		if snap.Compactions, err = compactions(ctx, from, p.ConversationID); err != nil {
			return nil, err
		}
	}
	return snap, s.readProtection(ctx, from, snap)
}

// with is the snapshot of the run that was stored; nil where anything else happened in
// the conversation between the reading and the storing, whichever came first.
func (b *beginning) with(stored *started) *agent.Snapshot {
	if b == nil || b.seq != stored.before && b.seq != stored.after {
		return nil
	}
	c := &b.snap.Conversation
	c.Title, c.LeafID = cmp.Or(c.Title, stored.title), stored.message.ID
	c.UpdatedAt, c.LastSeq, c.ActiveStatus = stored.message.CreatedAt, stored.after, stored.run.Status
	b.snap.Run = stored.run
	if n := len(b.snap.Branch); n == 0 || b.snap.Branch[n-1].ID != stored.message.ID {
		b.snap.Branch = append(b.snap.Branch, stored.message)
	}
	return b.snap
}

// started is a run that starts with the commit of its message. before is where the
// conversation's log ended before that, after where it ends now; title is that of a
// conversation that had none.
type started struct {
	run           agent.Run
	message       agent.Message
	title         string
	before, after int64
}
