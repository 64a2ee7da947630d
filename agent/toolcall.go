package agent

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// SharedResult begins the result of a call that was not made, because an equal call of the
// same answer was.
const SharedResult = "Made once for all equal calls of this answer:\n"

// ErrorResult begins what the model reads of a failed call. No other result begins so.
const ErrorResult = "Error ("

// OwnResult is a result as its tool gave it.
func OwnResult(result string) string { return strings.TrimPrefix(result, SharedResult) }

// Uncounted reports whether the breakers leave the call out: an equal one of its answer was
// stopped in its place.
func (c ToolCall) Uncounted() bool { return c.Blocked && c.Authority.Kind == AuthorityTwin }

// ErrorType classifies why a tool call has no good result.
type ErrorType string

// The error types of tool results.
const (
	ErrInvalidParams  ErrorType = "invalid_tool_params"
	ErrNotRegistered  ErrorType = "tool_not_registered"
	ErrExecution      ErrorType = "execution_failed"
	ErrTimeout        ErrorType = "timeout"
	ErrCancelled      ErrorType = "cancelled"
	ErrRejected       ErrorType = "rejected"
	ErrFileNotFound   ErrorType = "file_not_found"
	ErrPermission     ErrorType = "permission_denied"
	ErrPathOutside    ErrorType = "path_not_in_workspace"
	ErrShell          ErrorType = "shell_execute_error"
	ErrNetwork        ErrorType = "network_error"
	ErrInterrupted    ErrorType = "interrupted"
	ErrUnhandledPanic ErrorType = "unhandled_exception"
)

// ToolCall is one call of a tool in a run. ID is the provider's where that is
// unique in the conversation, else made up; it is unique within its run.
type ToolCall struct {
	ID             string    `json:"id"`
	RunID          string    `json:"runId"`
	ConversationID string    `json:"conversationId"`
	MessageID      string    `json:"messageId"` // the assistant message that asked
	Step           int       `json:"step"`
	Index          int       `json:"index"` // position in its message, from 0
	Name           string    `json:"toolName"`
	Args           string    `json:"args"` // what will be or was executed: raw JSON text
	State          CallState `json:"state"`
	// ArgsHash is the fingerprint of all of Args (FingerprintArgs); decisions are bound to it.
	ArgsHash   string    `json:"argsHash"`
	Result     string    `json:"result,omitempty"`
	ResultHash string    `json:"-"`
	ErrorType  ErrorType `json:"errorType,omitempty"`
	Truncated  bool      `json:"truncated,omitempty"`
	Images     []Image   `json:"images,omitempty"` // pictures of the result
	// Documents are those that it has read. They are only stored: see CallDocument.
	Documents []string `json:"-"`
	// Blocked marks a call that a guard stopped before it was executed. It
	// counts towards its streak and has no result for the guards.
	Blocked bool `json:"blocked,omitempty"`
	// Rule names what let the call pass or made it ask.
	Authority Authority `json:"rule,omitzero"`
	// Source is SourceHuman where a person gave the result.
	Source string `json:"source,omitempty"`
	// SchemaHash is that of the tool's schema when the call was decided on.
	SchemaHash string `json:"-"`
	Attempt    int    `json:"attempt"`
	// Process names the program that its newest attempt has started, "" where none was.
	Process    string `json:"-"`
	Generation int    `json:"-"`
	// Tokens and CostMicros are this call's share of the step that asked for it.
	Tokens     int64     `json:"tokens"`
	CostMicros int64     `json:"costMicros"`
	StartedAt  time.Time `json:"startedAt,omitzero"`
	EndedAt    time.Time `json:"endedAt,omitzero"`
}

// EmitValueTool is the tool with which the model delivers a declared output.
const EmitValueTool = "emit_value"

// HandOverTool is the tool with which the agent asks a person to take over.
const HandOverTool = "hand_over"

// RuleMinConfidence is the built-in rule that asks about answers whose confidence is below
// guard.min_confidence.
const RuleMinConfidence = "min-confidence"

// SourceHuman marks a result that a person gave.
const SourceHuman = "human"

// IdempotencyKey is the same for every attempt of this call.
func (c ToolCall) IdempotencyKey() string { return c.RunID + "/" + c.ID }

// Effect is what a tool does to the world.
type Effect string

// The effects. An unknown effect asks a person; EffectUnknown is that of tools from outside
// that nobody has judged.
const (
	EffectUnknown Effect = "unknown"
	EffectRead    Effect = "read"
	EffectWrite   Effect = "write"
	EffectExec    Effect = "exec"
	EffectNetwork Effect = "network"
)

// Risk orders how much care a call needs.
type Risk string

// The risks, in rising order.
const (
	RiskLow      Risk = "low"
	RiskMedium   Risk = "medium"
	RiskHigh     Risk = "high"
	RiskCritical Risk = "critical"
)

var risks = []Risk{RiskLow, RiskMedium, RiskHigh, RiskCritical}

// AtMost reports whether r is no higher than s. An unknown risk is above all.
func (r Risk) AtMost(s Risk) bool {
	i := slices.Index(risks, r)
	return i >= 0 && i <= slices.Index(risks, s)
}

// UsualRisk is that of a call about whose tool nothing but the effect is known.
func (e Effect) UsualRisk() Risk {
	switch e {
	case EffectRead:
		return RiskLow
	case EffectWrite, EffectNetwork:
		return RiskMedium
	case EffectExec, EffectUnknown:
		return RiskHigh
	default:
		return RiskHigh
	}
}

// ToolSpec is what a tool declares of itself.
type ToolSpec struct {
	Name        string
	Description string          // what the model reads
	Parameters  json.RawMessage // JSON schema of the arguments
	Effect      Effect
	Risk        Risk // of a call without special arguments
	Idempotent  bool
	// Pure marks a tool that computes its result from its arguments alone, at once. What
	// a crash interrupts has had no effect, so a call's start is stored with its result.
	Pure bool
	// Polling tools may be called repeatedly; only no_progress judges them.
	Polling bool
	// FixedHost marks a network tool that reaches one configured host only.
	FixedHost bool
	// Address is the argument of a network tool with the address that it reaches. A call
	// with one that a person or an earlier result has named gives nothing away.
	Address string
	Timeout time.Duration // 0 takes the configured default
	// Identity lists the argument fields that make two calls the same for the
	// guards, see FingerprintArgs; nil means all.
	Identity []string
	// Volatile lists the result fields that change without meaning progress.
	Volatile []string
	// Set is the set of a built-in tool; see SetName.
	Set    string
	Source string // "builtin", or where it comes from: mcp:NAME, command:NAME, openapi:NAME
	// Fingerprint is that of a tool from outside: of its source, name, description, and
	// schema. What people have allowed holds for that tool only. "" for a built-in one.
	Fingerprint string
	// SourceSays is the source's own description of all its tools, or "": a claim, not an
	// instruction of the people here.
	SourceSays string
	// Roles may use the tool; nil is everybody. A role includes those above it.
	Roles []Role
	// AsksPerson marks a tool whose result is what a person answers; it is never
	// executed.
	AsksPerson bool
	// MayAsk marks a tool that may ask the person while a call of it runs.
	MayAsk bool
	// Confident marks a tool whose argument confidence says how sure the model is of
	// the answer that the call gives, from 0 to 1.
	Confident bool
	// Unwalled marks a tool that starts programs which nothing keeps from what is the
	// server's: no mode lets its calls pass.
	Unwalled bool
	// OwnMemory marks a tool that writes nothing but the memory of the person whose run it
	// is, where they see it and can undo it.
	OwnMemory bool
	// OwnDocuments marks a tool that writes nothing but the documents of the person whose
	// run it is. They are not in the workspace, so auto_edit does not let such calls pass.
	OwnDocuments bool
	// ForOutputs marks a tool that is offered only where outputs are declared.
	ForOutputs bool
	// ForDocument marks a tool that is offered only where the person has a document open
	// beside the chat.
	ForDocument bool
}

// MayBeUsedBy reports whether runs that work for a person of this role may use the tool.
func (s ToolSpec) MayBeUsedBy(r Role) bool {
	return len(s.Roles) == 0 || slices.ContainsFunc(s.Roles, func(least Role) bool { return r.AtLeast(least) })
}

// ToolInput is one execution.
type ToolInput struct {
	RunID          string
	ConversationID string
	UserID         string // whose run it is
	DocumentID     string // that the person has open beside the chat
	// Collections are those that the run searches.
	Collections    CollectionChoice
	CallID         string
	IdempotencyKey string
	Args           json.RawMessage // valid against the tool's schema
	Limit          time.Duration   // on how long it may take
	// Process is the program that an execution which was cut off has started, for Outcome.
	Process string
	// Started stores which program the call has started, before that does
	// anything; where it fails, the program must not begin.
	Started func(process string) error
	// Progress shows live output; it never blocks for long and may be called
	// from one goroutine at a time.
	Progress func(chunk string)
	// Ask asks the person while the call runs; nil where nobody can be asked.
	Ask AskPerson
	// Tools lists what the run may use, for the tool that finds tools; nil for nothing.
	Tools func() []ToolSpec
	// Result is the answer of another run of the tree, or a value that it has delivered where
	// one is named; nil where there is none.
	Result func(ctx context.Context, runID, value string) (Answer, error)
	// Shared are the files that the run shares with others of its tree; nil for a run alone.
	Shared *SharedFiles
	// Before are the calls that will have run before this one; only for Evidence.
	Before []EarlierCall
}

// ToolResult is what an execution gives. ErrorType "" is success.
type ToolResult struct {
	Content   string
	ErrorType ErrorType
	Truncated bool
	// Images are the pictures of the result; Content has a line for each.
	Images []Image
	// Terminate is set by the terminate tool: the run ends after this step.
	Terminate *Terminate
	// Uncertain says that the call was sent and its answer lost: it may have happened.
	Uncertain bool
	// Emit is set by the tool that delivers a declared output.
	Emit *Emission
	// Plan is set by the tool that writes down the run's plan.
	Plan []PlanStep
	// Found are the names of tools that are to come into the model's view.
	Found []string
	// File is the shared file that was read or written, nil for none.
	File *FileUse
	// Documents are those whose names or texts are in the result.
	Documents []string
}

// LeavesDoubt reports whether the result does not say if the call happened.
func (r ToolResult) LeavesDoubt() bool { return r.Uncertain || r.ErrorType == ErrTimeout }

// Emission delivers one declared output.
type Emission struct {
	Name  string
	Value json.RawMessage
}

// Terminate is how the model ends its own run.
type Terminate struct {
	Success bool   `json:"success"`
	Message string `json:"message,omitempty"`
}

// RiskJudge asks a model how much harm calls could do.
type RiskJudge interface {
	// Request makes the question from the task and the calls of one answer.
	Request(model, task string, calls []ToolCall) Request
	// Read reads the answer, by the call's id; one that does not fit the schema is an error.
	Read(answer string) (map[string]Judged, error)
}

// Judged is what a model thinks of a call.
type Judged struct {
	Risk   Risk   `json:"risk"`
	Reason string `json:"reason"`
}
