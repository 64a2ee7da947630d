package agenttest

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"fusebox/agent"
)

// MemJournal is a journal and the store of the service in memory, for tests of the loop that
// need no database. It keeps the rules of a real one: the conformance suite
// checks both against each other.
type MemJournal struct {
	clock agent.Clock
	mu    sync.Mutex
	state memState
}

// memState is everything a MemJournal holds. Values are replaced, never
// changed in place, so that a copy of the maps is a state to go back to.
type memState struct {
	users         map[string]agent.User
	conversations map[string]agent.Conversation
	messages      map[string]agent.Message
	runs          map[string]memRun
	calls         map[string][]agent.ToolCall // by run
	approvals     map[string]agent.Approval
	events        map[string][]agent.Event // by conversation
	steps         []agent.Step
	verdicts      []agent.VerdictRecord
	compactions   []agent.Compaction
}

// memRun is a run's row.
type memRun struct {
	agent.Run
	clientID, messageID string
	newest              string // its last message
}

// NewMemJournal makes an empty one on the clock.
func NewMemJournal(clock agent.Clock) *MemJournal {
	return &MemJournal{clock: clock, state: memState{
		users: map[string]agent.User{}, conversations: map[string]agent.Conversation{},
		messages: map[string]agent.Message{}, runs: map[string]memRun{}, calls: map[string][]agent.ToolCall{},
		approvals: map[string]agent.Approval{}, events: map[string][]agent.Event{},
	}}
}

// write makes a change, or none of it where fn fails.
func (j *MemJournal) write(fn func(s *memState) error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	next := memState{
		users: maps.Clone(j.state.users), conversations: maps.Clone(j.state.conversations),
		messages: maps.Clone(j.state.messages), runs: maps.Clone(j.state.runs), calls: maps.Clone(j.state.calls),
		approvals: maps.Clone(j.state.approvals), events: maps.Clone(j.state.events),
		steps: j.state.steps, verdicts: j.state.verdicts, compactions: j.state.compactions,
	}
	if err := fn(&next); err != nil {
		return err
	}
	j.state = next
	return nil
}

// read looks at the state.
func (j *MemJournal) read(fn func(s *memState) error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return fn(&j.state)
}

// CreateUser adds an account; nobody signs in here, the password is dropped.
func (j *MemJournal) CreateUser(_ context.Context, u agent.User, _ string) error {
	return j.write(func(s *memState) error {
		s.users[u.ID] = u
		return nil
	})
}

// CreateConversation adds an empty conversation.
func (j *MemJournal) CreateConversation(_ context.Context, c agent.Conversation) error {
	return j.write(func(s *memState) error {
		s.conversations[c.ID] = c
		return nil
	})
}

// Append implements agent.Journal.
func (j *MemJournal) Append(_ context.Context, e agent.Change) (agent.Committed, error) {
	var done agent.Committed
	err := j.write(func(s *memState) error {
		if err := s.fence(e); err != nil {
			return err
		}
		if err := s.project(e); err != nil {
			return err
		}
		var err error
		if e.Reserve != nil {
			if done.Reservation, err = s.reserve(j.clock, *e.Reserve); err != nil {
				return err
			}
		}
		done.Events, err = s.tell(j.clock, e.ConversationID, e.Events)
		return err
	})
	return done, err
}

func (s *memState) fence(e agent.Change) error {
	if e.Epoch == 0 && e.Run == nil {
		return nil
	}
	run, ok := s.runs[e.RunID]
	switch {
	case !ok || run.ConversationID != e.ConversationID:
		return errNoRun()
	case e.Epoch != 0 && e.Epoch != run.Epoch:
		return agent.ErrStale
	case e.Run == nil:
		return nil
	case e.Run.Status != run.Status && !run.Status.CanBecome(e.Run.Status):
		return agent.Errorf(agent.Conflict, "A run cannot go from %s to %s.", run.Status, e.Run.Status)
	case (e.Run.Status == agent.StatusPaused || e.Run.Status == agent.StatusQueued) && (run.AbortBy != "" || s.decided(*e.Run)):
		return agent.ErrDecided
	}
	return nil
}

func (s *memState) project(e agent.Change) error {
	if e.Run != nil {
		row, next := s.runs[e.RunID], *e.Run
		next.Owner, next.Epoch, next.LeaseUntil, next.AbortBy = row.Owner, row.Epoch, row.LeaseUntil, row.AbortBy
		next.Takeover = row.Takeover
		row.Run = copied(next)
		s.runs[e.RunID] = row
	}
	for _, m := range e.Messages {
		s.addMessage(m)
	}
	for _, c := range e.Calls {
		if err := s.changeCall(c); err != nil {
			return err
		}
	}
	for _, a := range e.Approvals {
		if row := s.approvals[a.Approval.ID]; row.Status != a.From || row.Version != a.Approval.Version {
			return agent.Errorf(agent.Conflict, "The approval has already been decided.")
		}
		if a.From != "" {
			a.Approval.Version++
		}
		s.approvals[a.Approval.ID] = a.Approval
	}
	s.steps = append(s.steps, e.Steps...)
	s.verdicts = append(s.verdicts, e.Verdicts...)
	s.compactions = append(s.compactions, e.Compactions...)
	return nil
}

func (s *memState) addMessage(m agent.Message) {
	s.messages[m.ID] = m
	if run, ok := s.runs[m.RunID]; ok {
		run.newest = m.ID
		s.runs[m.RunID] = run
	}
	c := s.conversations[m.ConversationID]
	c.LeafID, c.UpdatedAt = m.ID, m.CreatedAt
	s.conversations[c.ID] = c
}

func (s *memState) changeCall(change agent.CallChange) error {
	c := change.Call
	if !change.Legal() {
		return agent.Errorf(agent.Internal, "tool call %s cannot go from %q to %q by %q", c.ID, change.From, c.State, change.Event)
	}
	if b := c.Authority.ApprovalID(); change.Event == agent.CallClaimed && b != "" && !s.stands(b) {
		return agent.ErrRevoked
	}
	calls := slices.Clone(s.calls[c.RunID])
	i := slices.IndexFunc(calls, func(d agent.ToolCall) bool { return d.ID == c.ID })
	switch {
	case change.From == "" && i < 0:
		calls = append(calls, c)
	case change.From != "" && i >= 0 && calls[i].State == change.From:
		calls[i] = c
	default:
		return agent.Errorf(agent.Conflict, "The tool call has already moved on.")
	}
	s.calls[c.RunID] = calls
	return nil
}

// tell numbers events and adds them to the conversation's log.
func (s *memState) tell(clock agent.Clock, conversationID string, events []agent.Event) ([]agent.Event, error) {
	if len(events) == 0 {
		return nil, nil
	}
	c, ok := s.conversations[conversationID]
	if !ok {
		return nil, errNoConversation()
	}
	now := agent.Stamp(clock)
	log := s.events[c.ID]
	for _, e := range events {
		data, err := reread(e.Data)
		if err != nil {
			return nil, err
		}
		c.LastSeq++
		e.ConversationID, e.At, e.Seq, e.Data = c.ID, now, c.LastSeq, data
		log = append(log, e)
	}
	s.conversations[c.ID], s.events[c.ID] = c, log
	return slices.Clone(log[len(log)-len(events):]), nil
}

// reread passes data through its JSON, as a database would.
func reread(data agent.EventData) (agent.EventData, error) {
	raw, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	return agent.DecodeEventData(data.EventType(), raw)
}

// copied shares nothing with the run it was made of.
func copied(r agent.Run) agent.Run {
	r.State.Reminders, r.State.Trips = slices.Clone(r.State.Reminders), slices.Clone(r.State.Trips)
	if t := r.State.Terminate; t != nil {
		end := *t
		r.State.Terminate = &end
	}
	return r
}

// decided reports whether a decision waits that takes effect before the run
// would wake.
func (s *memState) decided(run agent.Run) bool {
	return len(s.approvalsWhere(func(a agent.Approval) bool {
		late := run.Status == agent.StatusQueued && !a.EffectiveAt.Before(run.WakeAt)
		return a.RunID == run.ID && a.Status == agent.ApprovalDecided && !a.Applied && !late
	})) > 0
}

// stands reports whether an approval still lets calls run.
func (s *memState) stands(id string) bool {
	a := s.approvals[id]
	if a.Status != agent.ApprovalDecided || !a.RevokedAt.IsZero() {
		return false
	}
	for _, v := range a.Votes {
		if !slices.ContainsFunc(slices.Collect(maps.Values(s.users)), func(u agent.User) bool {
			owner := u.ID == s.conversations[a.ConversationID].OwnerID && a.Risk.AtMost(agent.RiskMedium)
			return u.Email == v.By && !u.Disabled && (u.Role.Reviews() || owner)
		}) {
			return false
		}
	}
	return true
}
