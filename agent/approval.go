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

// ApprovalStatus is where an approval stands.
type ApprovalStatus string

// The statuses. Only a pending approval can be decided.
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

// Option is one choice a card offers.
type Option struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// The answers to a loop card's resume.
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
	Status         ApprovalStatus  `json:"status"`
	Generation     int             `json:"generation"`
	RequestedAt    time.Time       `json:"requestedAt"`
	ExpiresAt      time.Time       `json:"expiresAt"`

	Decision  Verb      `json:"decision,omitempty"`
	DecidedBy string    `json:"decidedBy,omitempty"` // e-mail address
	DecidedAt time.Time `json:"decidedAt,omitzero"`
	Comment   string    `json:"comment,omitempty"`
	Answer    string    `json:"answer,omitempty"`
	Scope     Scope     `json:"scope,omitempty"`
	// EditedArgs replace Args when the decision is edit.
	EditedArgs    json.RawMessage `json:"editedArgs,omitempty"`
	RaiseTokensBy int64           `json:"raiseTokensBy,omitempty"`
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
}

// Decision is a person's answer to an approval.
type Decision struct {
	Verb          Verb            `json:"decision"`
	Args          json.RawMessage `json:"args"`
	Comment       string          `json:"comment"`
	Answer        string          `json:"answer"`
	Scope         Scope           `json:"scope"`
	RaiseTokensBy int64           `json:"raiseTokensBy"`
	// N is for the answer allow_more: 1 to MaxAllowMore, 0 takes DefaultAllowMore.
	N int `json:"n"`
	// ArgsHash and Generation bind the decision to what was shown; zero values bind to nothing.
	ArgsHash   string `json:"argsHash"`
	Generation int    `json:"generation"`
}

// Grant is an earlier decision that covers later calls.
type Grant struct {
	ApprovalID string
	Scope      Scope
	ToolName   string
	ArgsHash   string // binds scope conversation
	Risk       Risk   // scope run covers calls of no higher risk
	DecidedBy  string
}

// Covers reports whether the grant lets a call pass without asking again.
// Critical calls are never covered.
func (g Grant) Covers(tool, argsHash string, risk Risk) bool {
	if g.ToolName != tool || risk == RiskCritical || !risk.AtMost(RiskCritical) {
		return false
	}
	switch g.Scope {
	case ScopeRun:
		return risk.AtMost(g.Risk)
	case ScopeConversation, ScopeAlways:
		return g.ArgsHash == argsHash
	default:
		return false
	}
}

// LoopEvidence is the evidence of a loop card.
type LoopEvidence struct {
	Detector  string         `json:"detector"`
	Count     int            `json:"count"`
	Threshold int            `json:"threshold"`
	Calls     []EvidenceCall `json:"calls"`
	// Text is what repeats, where it is no call.
	Text string        `json:"text,omitempty"`
	Also []AlsoTripped `json:"also"`
}

// EvidenceCall is one call of a streak, as a reviewer sees it.
type EvidenceCall struct {
	N          int             `json:"n"`
	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	Args       json.RawMessage `json:"args"`
	Result     string          `json:"result"`
	Blocked    bool            `json:"blocked"`
	Tokens     int64           `json:"tokens"`
	CostMicros int64           `json:"costMicros"`
	At         time.Time       `json:"at,omitzero"`
}

// AlsoTripped names a second detector that saw the same streak.
type AlsoTripped struct {
	Detector string `json:"detector"`
	Count    int    `json:"count"`
	Message  string `json:"message"`
}

// ToolEvidence is the evidence of a tool card.
type ToolEvidence struct {
	Effect  Effect `json:"effect"`
	Rule    string `json:"rule"`
	Command string `json:"command,omitempty"`
	Cwd     string `json:"cwd,omitempty"`
	Diff    string `json:"diff,omitempty"`
}

// BudgetEvidence is the evidence of a budget card.
type BudgetEvidence struct {
	Scope          string `json:"scope"`
	UsedTokens     int64  `json:"usedTokens"`
	LimitTokens    int64  `json:"limitTokens"`
	UsedMicros     int64  `json:"usedMicros"`
	LimitMicros    int64  `json:"limitMicros"`
	NextStepTokens int64  `json:"nextStepTokens"`
}

// OutcomeEvidence is the evidence of an outcome card: nobody knows whether the call happened.
type OutcomeEvidence struct {
	ToolName       string          `json:"toolName"`
	Args           json.RawMessage `json:"args"`
	StartedAt      time.Time       `json:"startedAt"`
	IdempotencyKey string          `json:"idempotencyKey"`
}

// ApprovalFilter narrows a list of approvals; zero values narrow nothing.
type ApprovalFilter struct {
	Status ApprovalStatus
	Kind   ApprovalKind
	Risk   Risk
	RunID  string
}
