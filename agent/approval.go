package agent

import (
	"encoding/json"
	"time"
)

// ApprovalKind is what a person is asked.
type ApprovalKind string

// The kinds of approvals.
const (
	KindTool     ApprovalKind = "tool"
	KindLoop     ApprovalKind = "loop"
	KindBudget   ApprovalKind = "budget"
	KindQuestion ApprovalKind = "question"
	KindOutcome  ApprovalKind = "outcome"
)

// ApprovalStatus is the state of an approval.
type ApprovalStatus string

// The statuses. Only a pending approval can be decided; an expired one can be
// asked again, and its run waits until then.
const (
	ApprovalPending   ApprovalStatus = "pending"
	ApprovalDecided   ApprovalStatus = "decided"
	ApprovalExpired   ApprovalStatus = "expired"
	ApprovalCancelled ApprovalStatus = "cancelled"
)

// Verb is what a person decided.
type Verb string

// The decisions.
const (
	DecideApprove  Verb = "approve"
	DecideEdit     Verb = "edit"
	DecideReject   Verb = "reject"
	DecideAnswer   Verb = "answer"
	DecideResume   Verb = "resume"
	DecideTakeover Verb = "takeover"
	DecideAbort    Verb = "abort"
)

// Scope is how far an approving decision reaches.
type Scope string

// The scopes.
const (
	ScopeOnce         Scope = "once"
	ScopeRun          Scope = "run"
	ScopeConversation Scope = "conversation"
	ScopeAlways       Scope = "always"
)

// Open reports whether the run still waits for the approval: an expired one can
// be asked again.
func (s ApprovalStatus) Open() bool { return s == ApprovalPending || s == ApprovalExpired }

// Option is one choice an approval offers.
type Option struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// The answers to a loop approval's resume.
const (
	// ResumePlain executes the blocked call.
	ResumePlain = "plain"
	// ResumeAllowMore allows a number of exactly this call.
	ResumeAllowMore = "allow_more"
	// ResumeAsPolling repeats the call outside the model until its result changes.
	ResumeAsPolling = "as_polling"
	// ResumeFinishNow makes one last model call without tools.
	ResumeFinishNow = "finish_now"
)

// Bounds of Decision.N.
const (
	DefaultAllowMore = 5
	MaxAllowMore     = 20
)

// Approval is a question to a person that a run waits for. It is a row first;
// every page and event about it is a view of that row.
type Approval struct {
	ID             string          `json:"id"`
	Kind           ApprovalKind    `json:"kind"`
	Risk           Risk            `json:"risk"`
	RunID          string          `json:"runId"`
	ConversationID string          `json:"conversationId"`
	ToolCallID     string          `json:"toolCallId,omitempty"`
	ToolName       string          `json:"toolName,omitempty"`
	Args           json.RawMessage `json:"args,omitempty"`
	ArgsHash       string          `json:"argsHash,omitempty"`
	Evidence       json.RawMessage `json:"evidence"`
	Message        string          `json:"message"` // one sentence: why the run stopped here
	Options        []Option        `json:"options,omitempty"`
	// Agent is the definition by which the asking run works. Path is the way from the root to
	// that run, both included: nil where the root asks.
	Agent       string         `json:"agent,omitempty"`
	Path        []PathStep     `json:"path,omitempty"`
	Status      ApprovalStatus `json:"status"`
	Generation  int            `json:"generation"`
	RequestedAt time.Time      `json:"requestedAt"`
	ExpiresAt   time.Time      `json:"expiresAt"`

	// Needs is the number of people who have to approve, Votes are the ones who did.
	Needs int    `json:"needs"`
	Votes []Vote `json:"votes,omitempty"`
	// Author is the person who edited the arguments; someone else has to approve them.
	// AuthorNote is what they wrote along. OriginalArgs are those that the model asked for.
	Author       string          `json:"author,omitempty"`
	AuthorNote   string          `json:"authorNote,omitempty"`
	OriginalArgs json.RawMessage `json:"originalArgs,omitempty"`
	// Pattern is what the approval proposes to cover beyond this call; Covers what
	// was chosen, nil for exactly these arguments.
	Pattern Pattern `json:"pattern,omitempty"`
	Covers  Pattern `json:"covers,omitempty"`
	// EffectiveAt is when a decision that approves, or aborts, takes effect; until then
	// it can be undone. Zero is at once.
	EffectiveAt time.Time `json:"effectiveAt,omitzero"`
	// EscalatedTo is the person it was escalated to: an e-mail address, or "admins".
	EscalatedTo string `json:"escalatedTo,omitempty"`
	// Stage and DueAt are the scheduler's: how far an approval has come, and when it
	// looks at it next.
	Stage Stage     `json:"-"`
	DueAt time.Time `json:"-"`
	// RevokedAt is when the decision's cover was revoked.
	RevokedAt time.Time `json:"revokedAt,omitzero"`
	RevokedBy string    `json:"revokedBy,omitempty"`
	// Version is that of the row as it was read. A change names it, is refused
	// where another one came first, and raises it by one.
	Version int `json:"-"`

	Decision  Verb      `json:"decision,omitempty"`
	DecidedBy string    `json:"decidedBy,omitempty"` // e-mail address
	DecidedAt time.Time `json:"decidedAt,omitzero"`
	Comment   string    `json:"comment,omitempty"`
	Answer    string    `json:"answer,omitempty"`
	Scope     Scope     `json:"scope,omitempty"`
	// EditedArgs replace Args when the decision is edit.
	EditedArgs json.RawMessage `json:"editedArgs,omitempty"`
	// RaiseTokensBy and RaiseMicrosBy are added to the limits of a budget.
	RaiseTokensBy int64 `json:"raiseTokensBy,omitempty"`
	RaiseMicrosBy int64 `json:"raiseMicrosBy,omitempty"`
	// BudgetID is the admin's budget that an approval is about, and RefillAt when it is
	// reset: then the run continues by itself.
	BudgetID string    `json:"budgetId,omitempty"`
	RefillAt time.Time `json:"refillAt,omitzero"`
	// N is how many more calls allow_more allows.
	N int `json:"n,omitempty"`
	// NotLoop is set once a person has said that this was no loop.
	NotLoop bool `json:"notLoop,omitempty"`
	// Applied is set once the Loop has done what was decided.
	Applied bool `json:"-"`

	// For the inbox, read only: whose conversation it is.
	ConversationTitle string `json:"conversationTitle,omitempty"`
	OwnerID           string `json:"-"`
	OwnerEmail        string `json:"ownerEmail,omitempty"`
	OwnerName         string `json:"ownerName,omitempty"`
}

// Stage is how far an undecided approval has come.
type Stage int

// The stages, in their order.
const (
	StageAsked Stage = iota
	StageReminded
	StageEscalated
)

// Requested is the event that shows the approval to people. Arguments appear
// in it where they are not the ones of its call's events.
func (a Approval) Requested() ApprovalRequestedEvent {
	e := ApprovalRequestedEvent{
		ApprovalID: a.ID, Kind: a.Kind, ToolCallID: a.ToolCallID, Risk: a.Risk, Message: a.Message, Options: a.Options,
		ArgsHash: a.ArgsHash, Generation: a.Generation, Evidence: a.Evidence, ExpiresAt: a.ExpiresAt,
		Needs: a.Needs, Votes: a.Votes, Author: a.Author, Pattern: a.Pattern, Agent: a.Agent, Path: a.Path,
	}
	if a.Author != "" {
		e.Args, e.OriginalArgs = a.Args, a.OriginalArgs
	}
	return e
}

// ParentRunID is the run that made the asking one, "" where the root asks.
func (a Approval) ParentRunID() string {
	if len(a.Path) < 2 {
		return ""
	}
	return a.Path[len(a.Path)-2].RunID
}

// ShownHash is the fingerprint of what was shown to the deciding person.
func (a Approval) ShownHash() string {
	return hashOf([]byte(MustJSON([]any{a.ID, a.Generation, a.Kind, a.Risk, a.ToolName, a.Args, a.Message, a.Evidence, a.Options})))
}

// AuditDetail is what the audit log keeps of an approval in addition to the decision.
func (a Approval) AuditDetail() map[string]any {
	return map[string]any{
		"kind": a.Kind, "risk": a.Risk, "tool": a.ToolName, "argsHash": a.ArgsHash, "generation": a.Generation,
		"run": a.RunID, "conversation": a.ConversationID, "call": a.ToolCallID,
	}
}

// ApprovalFilter narrows a list of approvals; zero values narrow nothing.
type ApprovalFilter struct {
	Status ApprovalStatus
	Kind   ApprovalKind
	Risk   Risk
	RunID  string
	// Tool narrows to one tool, Search to texts in the tool's name, the
	// arguments, the reason or the conversation's title, OlderThan to what has
	// waited longer. Unread leaves out what the viewer has looked at.
	Tool      string
	Search    string
	OlderThan time.Time
	Unread    bool
	// Grouped lists, of more than LooseCards of one answer that wait for the same side, the
	// first alone.
	Grouped bool
	// By narrows what waits in the inbox by who can decide it.
	By Deciders
}

// Deciders are who can decide what waits: the viewer, or only others. Zero is both.
type Deciders string

// The values of Deciders, besides zero.
const (
	ByViewer Deciders = "viewer"
	ByOthers Deciders = "others"
)

// LooseCards is how many approvals of one answer are listed each for itself. More are
// one to page through: an answer with hundreds must not hide what others wait for.
const LooseCards = 5
