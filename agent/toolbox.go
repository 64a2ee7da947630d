package agent

import (
	"context"
	"encoding/json"
)

// Toolbox is the set of tools a run may use.
type Toolbox interface {
	// Specs lists all tools in a fixed order.
	Specs() []ToolSpec
	Lookup(name string) (ToolSpec, bool)
	// Validate checks raw argument text against the tool's schema and returns
	// it as JSON, always an object ("" and null become {}). Its errors have code
	// Invalid with one FieldError per problem; NotFound for an unknown tool.
	Validate(name, args string) (json.RawMessage, error)
	// Execute runs the tool. It always returns a result: timeouts, panics and
	// unknown tools become error results. Cancelling ctx ends it promptly.
	Execute(ctx context.Context, name string, in ToolInput) ToolResult
	// Evidence is what a reviewer must see of a call before it runs.
	Evidence(name string, in ToolInput) ToolEvidence
}

// Action is what policy says of a call.
type Action string

// The actions.
const (
	ActionAllow Action = "allow"
	ActionAsk   Action = "ask"
	ActionDeny  Action = "deny"
)

// Ruling is policy's answer for one call. Rule names what decided.
type Ruling struct {
	Action Action
	Risk   Risk
	Rule   string
	Reason string // one sentence for the card: why was I asked
}

// Policy decides which calls need a person.
type Policy interface {
	Rule(spec ToolSpec, args json.RawMessage, mode ApprovalMode) Ruling
}
