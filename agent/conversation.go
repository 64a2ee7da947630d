package agent

import "time"

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

// Conversation is a tree of messages with one active branch, which ends at LeafID.
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
	ToolSets  []string  `json:"toolSets,omitempty"`
	LeafID    string    `json:"leafId,omitempty"`
	LastSeq   int64     `json:"lastSeq"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
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
// ActiveStatus is that of its active run, "" for none.
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
