package loop

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"fusebox/agent"
	"fusebox/agent/sources"
)

// rows are what is stored of a run, in memory: read from its snapshot, and kept
// in step with every change that is committed or staged. They belong to the goroutine that
// advances the run; no other one reads or changes them.
type rows struct {
	loop    *Loop
	journal agent.Journal
	clock   agent.Clock
	newID   agent.NewID
	log     *slog.Logger
	tools   callTools // as the run sees them

	conv       agent.Conversation
	run        agent.Run
	since      time.Time // when the running time was last added to run.Active
	transcript transcript
	calls      calls
	approvals  approvals
	family     family
	// steers are what people have said that the run has not heard yet.
	steers []agent.QueuedMessage

	// staged is what the next commit writes along; nil for nothing.
	staged *agent.Change
}

func newRows(l *Loop, s *agent.Snapshot) *rows {
	r := &rows{
		loop: l, journal: l.Journal, clock: l.Clock, newID: l.NewID, log: l.Log,
		tools: callTools{Toolbox: l.Tools, config: s.Guards, clock: l.Clock}, conv: s.Conversation, since: l.Clock.Now(),
	}
	r.load(s)
	return r
}

// load takes over what a snapshot says of the run.
func (r *rows) load(s *agent.Snapshot) {
	r.run, r.transcript = s.Run, transcript{branch: s.Branch, compactions: s.Compactions}
	r.calls.load(s.Calls)
	r.approvals.list = s.Approvals
	r.family.load(s)
	r.steers = s.Steers
	r.staged = nil
}

// commitTimeout bounds a write that must not be lost to a cancelled context:
// an abort ends the run's context, but its last entries still have to be written.
const commitTimeout = 30 * time.Second

func commitContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), commitTimeout)
}

// stage takes a change over into the rows, for the next commit to write along: what
// a step knows together it writes together. It is for what neither a tool nor a person
// has to be sure of before the run's next move. What takes long flushes first.
func (r *rows) stage(e agent.Change) {
	if e.Empty() {
		return
	}
	e = r.address().on(e)
	r.adopt(e)
	if r.staged != nil {
		e = r.staged.Then(e)
	}
	r.staged = &e
}

// flush commits what is staged.
func (r *rows) flush() error {
	if r.staged == nil {
		return nil
	}
	ctx, cancel := commitContext()
	defer cancel()
	if _, err := r.journal.Append(ctx, *r.staged); err != nil {
		return err
	}
	r.staged = nil
	return nil
}

// commit appends a change of this run behind what is staged and, once both are
// committed, takes its values over into the rows.
func (r *rows) commit(e agent.Change) error {
	_, err := r.append(e)
	return err
}

// append is commit for a change that asks for something. Where the change is
// refused, what was staged before it is committed without it.
func (r *rows) append(e agent.Change) (agent.Committed, error) {
	ctx, cancel := commitContext()
	defer cancel()
	e = r.address().on(e)
	if r.staged == nil {
		done, err := r.journal.Append(ctx, e)
		if err == nil {
			r.adopt(e)
		}
		return done, err
	}
	done, err := r.journal.Append(ctx, r.staged.Then(e))
	if errors.Is(err, agent.ErrStale) {
		return done, err
	}
	if err != nil {
		return done, cmp.Or(r.flush(), err)
	}
	r.staged = nil
	r.adopt(e)
	return done, nil
}

// teller writes events past the rows, which have nothing staged: so the text of an answer
// is told by a goroutine of its own, while the run's waits for the model.
func (r *rows) teller() func([]agent.EventData) error {
	journal, to := r.journal, r.address()
	return func(data []agent.EventData) error {
		ctx, cancel := commitContext()
		defer cancel()
		_, err := journal.Append(ctx, to.on(agent.Change{Events: events(data...)}))
		return err
	}
}

// address is what a change belongs to.
type address struct {
	conversation, run string
	parent            string
	epoch             int64
	step              int
}

func (r *rows) address() address {
	return address{conversation: r.conv.ID, run: r.run.ID, parent: r.run.Lineage.ParentRunID, epoch: r.run.Epoch, step: r.run.Steps}
}

// on is a change with what it belongs to.
func (a address) on(e agent.Change) agent.Change {
	e.ConversationID, e.RunID, e.ParentRunID, e.Epoch = a.conversation, a.run, a.parent, a.epoch
	if e.Run != nil {
		a.step = e.Run.Steps
	}
	for i := range e.Events {
		e.Events[i].ConversationID = a.conversation
		if e.Events[i].RunID != "" && e.Events[i].RunID != a.run {
			continue // it is about the root
		}
		e.Events[i].RunID, e.Events[i].ParentRunID = a.run, a.parent
		e.Events[i].Step = cmp.Or(e.Events[i].Step, a.step)
	}
	return e
}

// adopt takes over what is committed or staged.
func (r *rows) adopt(e agent.Change) {
	if e.Run != nil {
		r.run = *e.Run
		r.since = r.clock.Now()
	}
	r.transcript.adopt(e)
	r.approvals.adopt(e.Approvals)
	r.steers = slices.DeleteFunc(r.steers, func(s agent.QueuedMessage) bool {
		return slices.ContainsFunc(e.Heard, func(h agent.Heard) bool { return h.ID == s.ID })
	})
	r.calls.adopt(e.Calls)
}

func (r *rows) now() time.Time { return agent.Stamp(r.clock) }

// with returns the run's new row: the status, and the running time until now.
func (r *rows) with(s agent.Status) *agent.Run {
	run := r.run
	run.Status = s
	run.Active += r.clock.Now().Sub(r.since)
	run.State.Reminders = slices.Clone(run.State.Reminders)
	run.State.Guidance = slices.Clone(run.State.Guidance)
	run.State.Trips = slices.Clone(run.State.Trips)
	run.WakeAt = time.Time{}
	run.State.AwaitsCard, run.State.Stopping = "", false
	return &run
}

// branchOf is what a run has read whose answer this one has read; nothing where that is not known.
func (r *rows) branchOf(runID string) []agent.Message {
	ctx, cancel := commitContext()
	defer cancel()
	branch, err := r.journal.AnswerBranch(ctx, r.conv.ID, runID)
	if err != nil {
		r.log.Warn("what a run has read is not known", "run_id", runID, "error", err)
	}
	return branch
}

// source sets what the text of a new message cites and links to. said are further texts of
// people. The task of a child is the words of a model: it names what its parent knew to be named.
func (r *rows) source(m *agent.Message, said ...string) {
	t := &r.transcript
	t.sources.Read(t.branch)
	t.sources.Sourced(m, r.branchOf)
	branch := t.branch
	if r.run.Lineage.IsChild() {
		branch = branch[min(1, len(branch)):]
	}
	sources.SetHosts(m, branch, append(slices.Concat(said, r.run.State.Told, r.run.State.Hosts), r.conv.System)...)
}

// auditRow is a line of the audit log about what the loop does on its own.
func (r *rows) auditRow(action, target, shown string, detail any) agent.AuditRow {
	return agent.AuditRow{
		ID: r.newID(), At: r.now(), Actor: agent.System, Action: action, Target: target, Shown: shown, Detail: string(agent.MustJSON(detail)),
	}
}

func (r *rows) message(id string, from agent.MessageRole, behind, content string) agent.Message {
	return agent.Message{
		ID: id, ConversationID: r.conv.ID, ParentID: behind, Role: from, Content: content, RunID: r.run.ID, CreatedAt: r.now(),
	}
}

func say(e *agent.Change, m agent.Message) {
	e.Messages = append(e.Messages, m)
	e.Events = append(e.Events, agent.Event{Data: agent.MessageEvent{Message: m}})
}

func events(data ...agent.EventData) []agent.Event {
	out := make([]agent.Event, len(data))
	for i, d := range data {
		out[i].Data = d
	}
	return out
}
