package provider

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// chat is the journal of one conversation, whose runs come one after the other and wait for
// nobody. The tests here make thousands of runs, whose time a database would more than
// double; what a chat has no method for, they do not ask.
type chat struct {
	agent.Journal
	agenttest.CommandStore
	clock agent.Clock

	mu     sync.Mutex
	branch []agent.Message
	run    agent.Run
	calls  []agent.ToolCall // of the run
	events []agent.Event
}

// EndingBelow finds no children: this run makes none.
func (c *chat) EndingBelow(context.Context, string) ([]agent.Run, error) { return nil, nil }

// Tree is this run alone.
func (c *chat) Tree(context.Context, string) ([]agent.Run, error) { return []agent.Run{c.run}, nil }

// Answer finds nothing that another run has said.
func (c *chat) Answer(context.Context, string, string, string) (agent.Answer, error) {
	return agent.Answer{}, agent.Errorf(agent.NotFound, agent.NoRun)
}

// Enqueue starts the run at once.
func (c *chat) Enqueue(_ context.Context, p agent.NewMessage) (agent.Enqueued, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.run.ID != "" && !c.run.Status.Ended() {
		return agent.Enqueued{}, agent.Errorf(agent.Conflict, "run %s is %s", c.run.ID, c.run.Status)
	}
	parent := ""
	if n := len(c.branch); n > 0 {
		parent = c.branch[n-1].ID
	}
	now := agent.Stamp(c.clock)
	c.branch = append(c.branch, agent.Message{
		ID: p.MessageID, ConversationID: p.ConversationID, ParentID: parent, Role: agent.FromUser, Content: p.Content, RunID: p.RunID, CreatedAt: now,
	})
	c.run = agent.Run{
		ID: p.RunID, ConversationID: p.ConversationID, UserID: p.UserID, Status: agent.StatusRunning, Epoch: 1, Model: p.Model, Limits: p.Limits, CreatedAt: now, StartedAt: now,
	}
	c.calls = nil
	return agent.Enqueued{MessageID: p.MessageID, RunID: p.RunID}, nil
}

func (c *chat) Append(_ context.Context, e agent.Change) (done agent.Committed, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.Run != nil {
		if e.Run.Status != c.run.Status && !c.run.Status.CanBecome(e.Run.Status) {
			return done, agent.Errorf(agent.Conflict, "a run cannot go from %s to %s", c.run.Status, e.Run.Status)
		}
		c.run = *e.Run
		c.run.State.Reminders, c.run.State.Trips = slices.Clone(e.Run.State.Reminders), slices.Clone(e.Run.State.Trips)
	}
	c.branch = append(c.branch, e.Messages...)
	for _, change := range e.Calls {
		if err := c.change(change); err != nil {
			return done, err
		}
	}
	for _, told := range e.Events {
		if told.Data, err = stored(told.Data); err != nil {
			return done, err
		}
		told.ConversationID, told.Seq, told.At = e.ConversationID, int64(len(c.events)+1), agent.Stamp(c.clock)
		c.events = append(c.events, told)
		done.Events = append(done.Events, told)
	}
	if e.Reserve != nil {
		done.Reservation = c.fit(*e.Reserve)
	}
	return done, nil
}

// change adds or moves one call, as a database would: each id once, by legal steps.
func (c *chat) change(change agent.CallChange) error {
	i := slices.IndexFunc(c.calls, func(k agent.ToolCall) bool { return k.ID == change.Call.ID })
	switch {
	case !change.Legal():
		return agent.Errorf(agent.Internal, "call %s cannot go from %q to %q", change.Call.ID, change.From, change.Call.State)
	case change.From == "" && i < 0:
		c.calls = append(c.calls, change.Call)
	case change.From != "" && i >= 0 && c.calls[i].State == change.From:
		c.calls[i] = change.Call
	default:
		return agent.Errorf(agent.Conflict, "call %s has moved on from %q", change.Call.ID, change.From)
	}
	return nil
}

// stored is an event's data as it comes back from a database.
func stored(data agent.EventData) (agent.EventData, error) {
	raw, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	return agent.DecodeEventData(agent.Event{Data: data}.Type(), raw)
}

// fit reserves for a run that has more than it asks for.
func (c *chat) fit(a agent.ReservationRequest) agent.Reservation {
	output, _ := a.Fit(agent.OwnBudgets(c.run, 0))
	return agent.Reservation{ID: a.RunID, Output: output, At: agent.Stamp(c.clock)}
}

func (c *chat) Reserve(_ context.Context, a agent.ReservationRequest) (agent.Reservation, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fit(a), nil
}

func (c *chat) Snapshot(context.Context, string) (*agent.Snapshot, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &agent.Snapshot{
		Run: c.run, Conversation: c.conversation(), OwnerEmail: reader.Email, OwnerRole: reader.Role, Branch: slices.Clone(c.branch), Calls: slices.Clone(c.calls),
	}, nil
}

func (c *chat) conversation() agent.Conversation {
	return agent.Conversation{ID: "c", OwnerID: reader.UserID}
}

func (c *chat) Conversation(context.Context, agent.Viewer, string) (*agent.Conversation, error) {
	conversation := c.conversation()
	return &conversation, nil
}

func (c *chat) Release(context.Context, string, int64) error { return nil }

func (c *chat) Decisions(context.Context, string) ([]agent.Approval, error) { return nil, nil }

func (c *chat) LastAllowed(context.Context, string, string, string) (*agent.Approval, error) {
	return nil, nil
}

func (c *chat) PolicyRules(context.Context) ([]agent.PolicyRule, error) { return nil, nil }

func (c *chat) ApprovalMode(context.Context, string) (agent.ApprovalMode, error) { return "", nil }

func (c *chat) Setting(context.Context, string) (string, error) { return "", nil }

func (c *chat) GuardConfig(context.Context) (agent.GuardConfig, error) {
	return agent.GuardConfig{}, nil
}
