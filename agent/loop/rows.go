package loop

import (
	"context"
	"slices"
	"time"

	"fusebox/agent"
)

// rows are what is stored of a run, in memory: read from its snapshot, and kept
// in step with every change that is committed.
type rows struct {
	journal agent.Journal
	clock   agent.Clock
	newID   agent.NewID

	conv       agent.Conversation
	run        agent.Run
	since      time.Time // when the running time was last added to run.Active
	transcript transcript
	calls      calls
	approvals  approvals
}

func newRows(l *Loop, s *agent.Snapshot) *rows {
	r := &rows{journal: l.Journal, clock: l.Clock, newID: l.NewID, conv: s.Conversation, since: l.Clock.Now()}
	r.load(s)
	return r
}

// load takes over what a snapshot says of the run.
func (r *rows) load(s *agent.Snapshot) {
	r.run, r.transcript = s.Run, transcript{branch: s.Branch, compactions: s.Compactions}
	r.calls.list, r.approvals.list = s.Calls, s.Approvals
}

// commitTimeout bounds a write that must not be lost to a cancelled context:
// an abort ends the run's context, but its last entries still have to be written.
const commitTimeout = 30 * time.Second

func commitContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), commitTimeout)
}

// commit appends a change of this run and, once it is committed, takes its values
// over into the rows.
func (r *rows) commit(e agent.Change) error {
	ctx, cancel := commitContext()
	defer cancel()
	e.ConversationID, e.RunID, e.Epoch = r.conv.ID, r.run.ID, r.run.Epoch
	for i := range e.Events {
		e.Events[i].ConversationID, e.Events[i].RunID = r.conv.ID, r.run.ID
		if e.Events[i].Step == 0 {
			e.Events[i].Step = r.stepOf(e)
		}
	}
	if _, err := r.journal.Append(ctx, e); err != nil {
		return err
	}
	r.adopt(e)
	return nil
}

func (r *rows) stepOf(e agent.Change) int {
	if e.Run != nil {
		return e.Run.Steps
	}
	return r.run.Steps
}

// adopt takes over what the journal has committed. While calls are executed in
// parallel, entries carry calls, approvals and events only: the rest has one writer.
func (r *rows) adopt(e agent.Change) {
	if e.Run != nil {
		r.run = *e.Run
		r.since = r.clock.Now()
	}
	r.transcript.adopt(e)
	r.approvals.adopt(e.Approvals)
	r.calls.adopt(e.Calls)
}

func (r *rows) now() time.Time { return agent.Stamp(r.clock) }

// with returns the run's new row: the status, and the running time until now.
func (r *rows) with(s agent.Status) *agent.Run {
	run := r.run
	run.Status = s
	run.Active += r.clock.Now().Sub(r.since)
	run.State.Reminders = slices.Clone(run.State.Reminders)
	run.State.Trips = slices.Clone(run.State.Trips)
	run.WakeAt = time.Time{}
	return &run
}

// auditRow is a line of the audit log about what the loop does on its own.
func (r *rows) auditRow(action, target, shown string, detail any) agent.AuditRow {
	return agent.AuditRow{
		ID: r.newID(), At: r.now(), Actor: agent.System, Action: action, Target: target, Shown: shown, Detail: string(agent.MustJSON(detail)),
	}
}

func events(data ...agent.EventData) []agent.Event {
	out := make([]agent.Event, len(data))
	for i, d := range data {
		out[i].Data = d
	}
	return out
}
