package discovery

import (
	"context"
	"encoding/json"
	"strings"

	"fusebox/agent"
	"fusebox/agent/tools/sandboxed"
)

// maxResult bounds what is read of one call's output; the rest is dropped.
const maxResult = 8 << 20

type tool struct {
	source Source
	host   sandboxed.Host
	walls  agent.Walls
	spec   agent.ToolSpec
}

func (t tool) Spec() agent.ToolSpec { return t.spec }

// Evidence shows what a call runs.
func (t tool) Evidence(agent.ToolInput) agent.ToolEvidence {
	return agent.ToolEvidence{Runs: strings.Join(t.source.Call, " "), Walls: &t.walls}
}

func (t tool) Run(ctx context.Context, in agent.ToolInput) agent.ToolResult {
	input, err := json.Marshal(struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}{t.spec.Name, in.Args})
	if err != nil {
		return agent.ToolResult{ErrorType: agent.ErrInvalidParams, Content: "The arguments cannot be written: " + err.Error() + "."}
	}
	out, err := run(ctx, t.host, t.source, t.source.Call, input, call{limit: maxResult, progress: in.Progress, started: in.Started})
	switch {
	case ctx.Err() != nil:
		return agent.ToolResult{ErrorType: agent.ErrCancelled, Content: out.text}
	case err != nil:
		return agent.ToolResult{ErrorType: agent.ErrExecution, Content: "The command could not be started: " + err.Error() + "."}
	case out.failed != "":
		return agent.ToolResult{ErrorType: agent.ErrExecution, Content: out.failed}
	default:
		return agent.ToolResult{Content: out.text}
	}
}
