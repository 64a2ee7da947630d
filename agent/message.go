package agent

import (
	"encoding/json"
	"time"
)

// MessageRole is the author of a message.
type MessageRole string

// The roles of messages. System prompts are made fresh for each run and never stored.
const (
	FromUser      MessageRole = "user"
	FromAssistant MessageRole = "assistant"
	FromTool      MessageRole = "tool"
)

// MaxMessageBytes bounds what a person may send in one message.
const MaxMessageBytes = 256 << 10

// Message is one node of a conversation's tree. It is written once, when final.
type Message struct {
	ID             string      `json:"id"`
	ConversationID string      `json:"-"`
	ParentID       string      `json:"parentId,omitempty"`
	Role           MessageRole `json:"role"`
	Content        string      `json:"content"`
	Reasoning      string      `json:"reasoning,omitempty"`
	// ToolCalls are the calls of an assistant message, in the order the model asked for them.
	ToolCalls []CallRequest `json:"toolCalls,omitempty"`
	// ToolCallID is the call a tool message answers, or that a person's message is about.
	ToolCallID string `json:"toolCallId,omitempty"`
	RunID      string `json:"runId,omitempty"`
	Usage      *Usage `json:"usage,omitempty"`
	// ReasoningMS is how long the model thought before it spoke.
	ReasoningMS int64 `json:"reasoningMs,omitempty"`
	// Pinned keeps the message word for word when the context is compacted.
	Pinned bool `json:"pinned,omitempty"`
	// SaidBy is the person, by e-mail address, who typed a user message on a card of a
	// run; "" where a run answers the message. With ToolCallID, the content is the arguments
	// with which they had that call run.
	SaidBy string `json:"saidBy,omitempty"`
	// Steered says that this person said it to the run while that worked.
	Steered bool `json:"steered,omitempty"`
	// DocumentID is the document that the person had open beside the chat.
	DocumentID string `json:"documentId,omitempty"`
	// Citations are the sources that the content cites, in the order of their numbers, and
	// UnknownCitations what it cites although nothing of the kind was retrieved.
	Citations        []Citation `json:"citations,omitempty"`
	UnknownCitations []string   `json:"unknownCitations,omitempty"`
	// LinkHosts are the hosts of the content's links that a person or a tool's result has
	// named. Links to others are shown as text.
	LinkHosts []string `json:"linkHosts,omitempty"`
	// Images are the pictures of a tool's result.
	Images []Image `json:"images,omitempty"`
	// Siblings are all versions of the message in the order in which they were made, itself among
	// them, where a branch is listed and there are several.
	Siblings []string `json:"siblings,omitempty"`
	// Followers are the messages that follow the last one of a branch that is listed: the run that
	// begins another version there has said nothing.
	Followers []string `json:"followers,omitempty"`
	// Data is what the provider that made the message wants back with it in
	// later requests. Only package provider reads and writes it.
	Data      json.RawMessage `json:"-"`
	CreatedAt time.Time       `json:"createdAt"`
}

// Asks reports whether a run answers the message.
func (m *Message) Asks() bool { return m.Role == FromUser && m.SaidBy == "" }

// Guides reports whether a person typed the message on a card, as a text, or steered the run by it.
func (m *Message) Guides() bool { return m.SaidBy != "" && m.ToolCallID == "" }

// CallRequest is a tool call as the model wrote it. Arguments is the raw text
// and may be anything, also broken JSON.
type CallRequest struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Citation is a source that an answer cites: as [n], or as its passage's id in brackets.
type Citation struct {
	N         int    `json:"n"`
	PassageID string `json:"passageId,omitempty"`
	// DocumentID is the document that the passage is of, "" in older messages.
	DocumentID string `json:"documentId,omitempty"`
	URL        string `json:"url,omitempty"`
	// Name is that of the page, or that of the document with the place in it: as it is now
	// where the message is read, and "" once the document is deleted.
	Name string `json:"name"`
	// Misquoted says that words that the answer quotes from the source are not in it.
	Misquoted bool `json:"misquoted,omitempty"`
	// DeletedAt and Replaced are what has become of the document, where the message is read:
	// when it was deleted, and whether a newer version of it answers.
	DeletedAt time.Time `json:"deletedAt,omitzero"`
	Replaced  bool      `json:"replaced,omitempty"`
	// Closed says that the document is not open to the owner of the chat any more: it has no name.
	Closed bool `json:"closed,omitempty"`
}

// messageBytes and callBytes are about what a message and a call take without their texts.
const (
	messageBytes = 300
	callBytes    = 100
)

// Size is about how much memory a message takes.
func (m *Message) Size() int {
	n := messageBytes + len(m.Content) + len(m.Reasoning) + len(m.Data)
	for _, c := range m.ToolCalls {
		n += callBytes + len(c.Arguments)
	}
	for _, c := range m.Citations {
		n += callBytes + len(c.URL) + len(c.Name)
	}
	return n
}

// Path is a branch of a conversation without what its messages say, oldest first.
type Path struct {
	// Leaf is its last message, "" for none. Followers are those that follow it on other branches,
	// and Follows is the run of the newest of them.
	Leaf      string
	Followers []string
	Follows   string
	Messages  []PathMessage
	// Runs are those that the branch is read from. Of the ones in Cut only the messages
	// on it are: they went on elsewhere, or what else they said was deleted.
	Runs []string
	Cut  map[string]bool
}

// PathMessage is a message of a branch, with all its versions where there are several.
type PathMessage struct {
	ID, RunID string
	Siblings  []string
}

// LogPart says which part of a conversation's log is read: the runs that so many
// messages before an event are of.
type LogPart struct {
	// Before is the number of an event; 0 is the end of the log.
	Before   int64
	Messages int
	// ToEnd adds everything that comes after these runs.
	ToEnd bool
	// Runs, where there are any, are the only ones that are read, with those below them.
	Runs []string
}

// Transcript is a part of a log as it is shown.
type Transcript struct {
	// Events are without the deltas of what is final. From is where they begin: 1
	// where there is nothing before them.
	Events []Event
	From   int64
	// Covers are the events of approvals outside of the part that cover calls of
	// the whole conversation, or did until they were revoked.
	Covers []Event
}

// Compaction replaces the older part of a branch in requests to a model. The
// messages stay as they are: it is what the model gets to see instead.
type Compaction struct {
	ID             string
	ConversationID string
	RunID          string
	// UpTo is the last message that the summary covers, "" for none.
	UpTo string
	// Leaf is the newest message at the time: results up to it are cut to head and tail.
	Leaf      string
	Summary   string
	CreatedAt time.Time
}

// Exchange is one request to a model's endpoint over the wire and what came
// back, with secrets redacted. Headers are left out: they contain the key and
// nothing of interest.
type Exchange struct {
	ID       string
	RunID    string
	At       time.Time
	URL      string // without its query
	Request  string
	Status   int // 0 where no answer came
	Response string
	Cut      bool   // one of the bodies was longer than is kept
	Error    string // of the transport
}

// Version is where a message of a conversation stands among its versions: the messages that
// follow the same one. A person's message is a version by itself, an answer with all that its run
// has written.
type Version struct {
	ConversationID string
	// ID is the message with which the version begins.
	ID string
	// AskedID is the person's message that the version is, or answers, and AskedRunID the run
	// that was started with it.
	AskedID    string
	AskedRunID string
	// RunID is the run of the version, and Newest its last message.
	RunID  string
	Newest string
	// Cut says that the run was ended before its answer was, or the answer by the output limit.
	Cut bool
}

// Asks reports whether the version is a person's message.
func (v Version) Asks() bool { return v.ID == v.AskedID }

// Below is what stands at and below a message.
type Below struct {
	// Deleted counts messages as a branch lists them, Shown persons' messages and answers.
	Deleted int `json:"deleted"`
	Shown   int `json:"shown"`
}
