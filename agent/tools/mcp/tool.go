package mcp

import (
	"context"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fusebox/agent"
	"fusebox/agent/tools"
	"fusebox/agent/tools/toolname"
)

type tool struct {
	*keeper
	spec agent.ToolSpec
	name string // the server's
}

func (k *keeper) tool(t agent.KnownTool, says string) tools.Tool {
	spec := k.spec(t.Name, t)
	spec.SourceSays = says
	spec.Effect, spec.Risk = k.conf.judge(t.Name, t.Claims)
	return tool{k, spec, t.Name}
}

// spec is what all tools of a server have in common.
func (k *keeper) spec(name string, t agent.KnownTool) agent.ToolSpec {
	return agent.ToolSpec{
		Name: toolname.Of(k.conf.Name, name), Description: t.Description, Parameters: t.Parameters, Source: k.conf.source(),
		Fingerprint: t.Fingerprint(), Timeout: k.conf.Timeout, Roles: k.conf.Roles, Effect: k.conf.Effect, MayAsk: true,
	}
}

func (t tool) Spec() agent.ToolSpec { return t.spec }

func (t tool) Evidence(agent.ToolInput) agent.ToolEvidence { return t.evidence() }

func (t tool) Run(ctx context.Context, in agent.ToolInput) agent.ToolResult {
	return t.call(ctx, in, func(ctx context.Context, s *session, token string) (agent.ToolResult, error) {
		params := &mcp.CallToolParams{Name: t.name, Arguments: in.Args}
		params.Meta = mcp.Meta{}
		params.SetProgressToken(token)
		res, err := s.CallTool(ctx, params)
		if err != nil {
			return agent.ToolResult{}, err
		}
		return resultOf(res), nil
	})
}

// call waits for the server, asks it, and says what went wrong.
func (k *keeper) call(ctx context.Context, in agent.ToolInput, ask func(context.Context, *session, string) (agent.ToolResult, error)) agent.ToolResult {
	s, err := k.readySoon(ctx, in.Limit)
	if err != nil {
		return agent.ToolResult{ErrorType: agent.ErrNetwork, Content: err.Error() + "."}
	}
	token := in.IdempotencyKey
	defer k.progress.watch(token, func(text string) { in.Progress(k.secrets.Scrub(text)) })()
	asked, cancel := context.WithCancel(ctx)
	defer cancel()
	defer k.askers.begin(asked, in)()
	defer context.AfterFunc(ctx, func() { wake(k.suspect) })()
	res, err := ask(asked, s, token)
	if err != nil {
		res = k.failure(ctx, s, err)
	}
	res.Content = k.secrets.Scrub(res.Content)
	return res
}

// readyTime is how long a call waits for its server to start.
const readyTime = 15 * time.Second

// readySoon gives up while the call has time left: what was never sent leaves no doubt.
func (k *keeper) readySoon(ctx context.Context, limit time.Duration) (*session, error) {
	ctx, cancel := agent.WithTimeout(ctx, k.clock, min(readyTime, limit*4/5), context.DeadlineExceeded)
	defer cancel()
	return k.ready(ctx)
}

// rejectedByTransport is the code of requests that did not reach the server.
const rejectedByTransport = -32005

// isRefusal reports whether the server itself has answered with an error.
func isRefusal(err error) bool {
	refused, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && refused.Code != rejectedByTransport
}

// failure is the result of a call that was sent and not answered, or refused.
func (k *keeper) failure(ctx context.Context, s *session, err error) agent.ToolResult {
	switch {
	case ctx.Err() != nil:
		wake(k.suspect) // what was to do so may not have begun yet, and is called off by our return
		return agent.ToolResult{ErrorType: agent.ErrCancelled, Content: "The MCP server " + k.conf.Name + " was told to stop."}
	case isRefusal(err):
		return agent.ToolResult{ErrorType: agent.ErrExecution, Content: k.inWords(err)}
	}
	wake(k.suspect)
	why := k.inWords(err)
	if s.process != nil {
		ended := time.NewTimer(endGrace)
		defer ended.Stop()
		select {
		case <-s.process.ended:
			why = s.process.why
		case <-ended.C:
		}
	}
	return agent.ToolResult{
		ErrorType: agent.ErrNetwork, Uncertain: true, Content: "The connection to the MCP server " + k.conf.Name + " was lost during the call: " + why + ".",
	}
}
