package agent

import (
	"cmp"
	"encoding/json"
	"time"
)

// ApprovalMode is how much of its tool use a conversation lets pass unasked.
type ApprovalMode string

// The approval modes. Policy says what each of them asks for.
const (
	ModeDefault  ApprovalMode = "default"
	ModeAutoEdit ApprovalMode = "auto_edit"
	ModeYolo     ApprovalMode = "yolo"
)

// Valid reports whether m is one of the three modes.
func (m ApprovalMode) Valid() bool {
	return m == ModeDefault || m == ModeAutoEdit || m == ModeYolo
}

// Conversation is a tree of messages. LeafID is the end of the branch that is chosen: it is shown, and what
// is said next follows it.
type Conversation struct {
	ID           string       `json:"id"`
	OwnerID      string       `json:"ownerId"`
	Title        string       `json:"title"`
	Model        string       `json:"model"`
	System       string       `json:"system"`
	ApprovalMode ApprovalMode `json:"approvalMode"`
	// RunTokenLimit is the token budget of each run; 0 takes the configured one.
	RunTokenLimit int64 `json:"runTokenLimit,omitempty"`
	// RunCostLimit is what each run may cost in micro-USD; 0 takes the configured one.
	RunCostLimit int64 `json:"runCostLimitMicros,omitempty"`
	// Thinking is whether the model thinks, ThinkingTokens how much of each answer; both
	// only where it can.
	Thinking       ThinkingMode `json:"thinking,omitempty"`
	ThinkingTokens int64        `json:"thinkingTokens,omitempty"`
	// OutputMode is "" if the owner's own setting applies.
	OutputMode OutputMode `json:"outputMode,omitempty"`
	// Guards are numbers of the breakers that the conversation sets for itself, by key.
	Guards map[string]string `json:"guards,omitempty"`
	// Outputs are names and types that each run has to deliver.
	Outputs map[string]string `json:"outputs,omitempty"`
	// OutputPurposes say what outputs are for, by name.
	OutputPurposes map[string]string `json:"outputPurposes,omitempty"`
	// ToolSets are the sets of tools that its runs have; none is all.
	ToolSets []string `json:"toolSets,omitempty"`
	// Collections are those that its runs search.
	Collections CollectionChoice `json:"collections"`
	// Agent is the name of the one that answers, "" for none. DeletedAgent is that of one
	// that was chosen and is not there any more.
	Agent        string    `json:"agent"`
	DeletedAgent string    `json:"deletedAgent,omitempty"`
	LeafID       string    `json:"leafId,omitempty"`
	LastSeq      int64     `json:"lastSeq"`
	CreatedAt    time.Time `json:"createdAt"`
	UpdatedAt    time.Time `json:"updatedAt"`
	// ActiveStatus is the status of the run that is queued, running or paused, "" when none is.
	ActiveStatus Status `json:"activeStatus,omitempty"`
}

// ConversationPatch changes the named fields of a conversation; nil leaves one alone.
type ConversationPatch struct {
	Title          *string       `json:"title"`
	Model          *string       `json:"model"`
	System         *string       `json:"system"`
	ApprovalMode   *ApprovalMode `json:"approvalMode"`
	RunTokenLimit  *int64        `json:"runTokenLimit"`
	RunCostLimit   *int64        `json:"runCostLimitMicros"`
	Thinking       *ThinkingMode `json:"thinking"`
	ThinkingTokens *int64        `json:"thinkingTokens"`
	OutputMode     *OutputMode   `json:"outputMode"`
	// Guards, Outputs, and OutputPurposes replace the whole map; an empty one clears it.
	Guards         *map[string]string `json:"guards"`
	Outputs        *map[string]string `json:"outputs"`
	OutputPurposes *map[string]string `json:"outputPurposes"`
	// ToolSets replaces the whole list; an empty one is all sets.
	ToolSets *[]string `json:"toolSets"`
	// Collections replaces the whole choice; an empty one is none.
	Collections *CollectionChoice `json:"collections"`
	// Agent is the name of the one that answers, "" for none.
	Agent *string `json:"agent"`
	// LeafID is a message: the branch that it is on, to the newest message below it, is shown.
	LeafID *string `json:"leafId"`
}

// DisplayTitle is how people are shown the conversation's title.
func (c Conversation) DisplayTitle() string {
	if c.Title == "" {
		return "Untitled chat"
	}
	return c.Title
}

// ChatList is what a person's conversations are chosen from, newest change first.
type ChatList struct {
	Items []ListedChat
	// Open is the conversation that is being read where it is not among the items, else nil.
	Open *ListedChat
	// Found is how many there are in all.
	Found int
}

// ListedChat is a conversation as a list shows it. Said is how what was said last begins;
// ActiveStatus is that of its active run, "" for none; running as long as that waits for agents
// alone, not for a person.
type ListedChat struct {
	ID, Title, Said string
	ActiveStatus    Status
	UpdatedAt       time.Time
}

// ChatListQuery is whose conversations are listed, and which.
type ChatListQuery struct {
	OwnerID string
	Search  string // a part of the title, ignoring case
	Open    string // the conversation that is being read, "" for none
	Limit   int
}

// ChatRulesKey is the setting that holds the ChatRules.
const ChatRulesKey = "chat_rules"

// ChatRules are what admins let people set for their own chats. The zero value lets them
// set everything.
type ChatRules struct {
	// NoInstructions leaves a chat's own instructions out.
	NoInstructions bool `json:"noInstructions,omitempty"`
	// MaxRunTokens and MaxRunMicros are how far up a chat may set the limits of its runs.
	// 0 does not bound tokens, and binds money to the server's own limit.
	MaxRunTokens int64 `json:"maxRunTokens,omitempty"`
	MaxRunMicros int64 `json:"maxRunCostMicros,omitempty"`
}

// ParseChatRules reads what Text writes.
func ParseChatRules(text string) (r ChatRules, err error) {
	if text != "" {
		err = json.Unmarshal([]byte(text), &r)
	}
	return r, err
}

// Text is the rules as a setting, "" where they allow everything.
func (r ChatRules) Text() string {
	if r == (ChatRules{}) {
		return ""
	}
	return string(MustJSON(r))
}

// Check refuses what the rules do not allow a chat; each error names the field.
func (r ChatRules) Check(in ConversationPatch) error {
	switch {
	case r.NoInstructions && in.System != nil && *in.System != "":
		return InvalidField("system", "is not allowed; an admin has switched instructions of chats off")
	case r.MaxRunTokens > 0 && in.RunTokenLimit != nil && *in.RunTokenLimit > r.MaxRunTokens:
		return InvalidField("runTokenLimit", "is %d; an admin allows at most %d", *in.RunTokenLimit, r.MaxRunTokens)
	case r.MaxRunMicros > 0 && in.RunCostLimit != nil && *in.RunCostLimit > r.MaxRunMicros:
		return InvalidField("runCostLimitMicros", "is %d; an admin allows at most %d", *in.RunCostLimit, r.MaxRunMicros)
	}
	return nil
}

// Limits are the limits of a run of a conversation, where l are the server's.
func (r ChatRules) Limits(c Conversation, l Limits) Limits {
	if c.RunTokenLimit > 0 {
		l.Tokens = atMost(c.RunTokenLimit, r.MaxRunTokens)
	}
	if c.RunCostLimit > 0 {
		l.CostMicros = atMost(c.RunCostLimit, cmp.Or(r.MaxRunMicros, l.CostMicros))
	}
	return l
}

// atMost caps n at a bound; a bound of 0 means unlimited.
func atMost(n, bound int64) int64 {
	if bound > 0 {
		return min(n, bound)
	}
	return n
}

// OutputMode is in which portions an answer is shown while it is made.
type OutputMode string

// The output modes.
const (
	OutputToken    OutputMode = "token"
	OutputSentence OutputMode = "sentence"
	OutputWhole    OutputMode = "whole"
)

// OutputModes are the names of all modes.
func OutputModes() []string {
	return []string{string(OutputToken), string(OutputSentence), string(OutputWhole)}
}

// Valid reports whether m is one of the modes, or "", which takes the next wider setting.
func (m OutputMode) Valid() bool {
	return m == "" || m == OutputToken || m == OutputSentence || m == OutputWhole
}

// ThinkingMode is whether a conversation's model thinks before it answers.
type ThinkingMode string

// The modes of thinking. The empty one leaves it to the model.
const (
	ThinkingOff ThinkingMode = "off"
	ThinkingOn  ThinkingMode = "on"
)

// MaxThinkingTokens bounds the budget of thinking.
const MaxThinkingTokens = 1_000_000

// Thinking is what a request asks of a model that can think. Tokens bounds the thoughts
// of one answer; 0 leaves that to the model.
type Thinking struct {
	Mode   ThinkingMode
	Tokens int64
}

// Check checks a mode and its budget; each error names the field.
func (t Thinking) Check() error {
	switch {
	case t.Mode != "" && t.Mode != ThinkingOff && t.Mode != ThinkingOn:
		return InvalidField("thinking", "%q is not allowed; allowed: off, on, or empty for the model's own way", t.Mode)
	case t.Tokens < 0 || t.Tokens > MaxThinkingTokens:
		return InvalidField("thinkingTokens", "is %d; allowed: 0 (the model's own) to %d", t.Tokens, MaxThinkingTokens)
	case t.Tokens > 0 && t.Mode != ThinkingOn:
		return InvalidField("thinkingTokens", "needs thinking to be on")
	}
	return nil
}

// Page asks for part of a list: at most Limit items after Cursor, newest first.
type Page struct {
	Limit  int
	Cursor string
}
