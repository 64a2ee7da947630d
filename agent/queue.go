package agent

import (
	"encoding/json"
	"time"
)

// MaxQueued is how many messages may wait in a conversation.
const MaxQueued = 50

// QueuedMessage is what a person wrote while a run worked: it waits for that run to end and is
// answered then, or it steers the run.
type QueuedMessage struct {
	ID             string
	ConversationID string
	UserID         string
	TokenID        string // of the API token it came with, "" for a browser
	ClientID       string
	Content        string
	ParentID       string // the end of the branch that it was written under, "" for the one that is chosen by then
	DocumentID     string // open beside the chat, "" for none
	Agent          string // the definition that is to answer it, "" for that of the conversation
	// Workflow is the one that is to answer it, "" for that of the conversation, and Inputs what
	// was filled in for it.
	Workflow string
	Inputs   map[string]json.RawMessage
	// RunID is the run that it steers, "" where it waits for its turn.
	RunID  string
	GoesIn GoesIn
	// Held says that it waits until a person lets the queue go on.
	Held      bool
	CreatedAt time.Time
}

// GoesIn says what a run does before it hears what steers it.
type GoesIn string

// What a run does before it hears a person.
const (
	AfterStep     GoesIn = "after_step"     // the calls that have begun
	AfterDecision GoesIn = "after_decision" // it waits for a decision
	AfterAgents   GoesIn = "after_agents"   // it waits for the agents that work for it
)

// Queue is what waits in a conversation: first what steers its run, then what is answered
// after it, in order.
type Queue struct {
	Items []QueuedItem `json:"items"`
	// Held says that nothing of it is answered until a person lets it go on.
	Held bool `json:"held"`
}

// QueuedItem is a message that waits, as it is shown.
type QueuedItem struct {
	ID      string `json:"id"`
	Content string `json:"content"`
	// Cut says that the content is only the beginning.
	Cut        bool   `json:"cut,omitempty"`
	DocumentID string `json:"documentId,omitempty"`
	Agent      string `json:"agent,omitempty"`
	// SteersRunID is the run that it steers, and GoesIn when that hears it.
	SteersRunID string    `json:"steersRunId,omitempty"`
	GoesIn      GoesIn    `json:"goesIn,omitempty"`
	CreatedAt   time.Time `json:"createdAt"`
}

// QueueOf is how messages that wait are shown.
func QueueOf(all []QueuedMessage) Queue {
	q := Queue{Items: []QueuedItem{}}
	for _, m := range all {
		q.Held = q.Held || m.Held
		q.Items = append(q.Items, QueuedItem{
			ID: m.ID, Content: m.Content, DocumentID: m.DocumentID, Agent: m.Agent, SteersRunID: m.RunID, GoesIn: m.GoesIn, CreatedAt: m.CreatedAt,
		})
	}
	return q
}

// queuedShown is how much of a message that waits is told, in characters: each change of the
// queue tells all of it.
const queuedShown = 500

// Told is the event that tells of the queue.
func (q Queue) Told() QueueEvent {
	e := QueueEvent{Items: []QueuedItem{}, Held: q.Held}
	for _, it := range q.Items {
		if short := Clip(it.Content, queuedShown); short != it.Content {
			it.Content, it.Cut = short, true
		}
		e.Items = append(e.Items, it)
	}
	return e
}

// QueuedPatch changes a message that waits: nil leaves a field as it is. Position is its new
// place among those that wait for their turn, from 0.
type QueuedPatch struct {
	Content  *string
	Position *int
}

// Queued tells what became of a message that was to wait: it does, or it has become a message
// with its run already; Idle says that nothing works and it need not wait.
type Queued struct {
	ID   string
	Was  *Enqueued
	Idle bool
}

// ErrSteered is a journal's answer to a step, or an end, before which a person has said
// something that the run has not heard yet.
var ErrSteered = &Error{Code: Conflict, Message: "a person has said something in the meantime"}
