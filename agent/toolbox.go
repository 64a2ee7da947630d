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
	// Outcome asks a tool what became of an execution that was cut off, by its
	// idempotency key, after it has ended what is left of it; false where the tool
	// cannot say.
	Outcome(ctx context.Context, name string, in ToolInput) (ToolResult, bool)
	// Evidence is what a reviewer must see of a call before it runs.
	Evidence(name string, in ToolInput) ToolEvidence
}
