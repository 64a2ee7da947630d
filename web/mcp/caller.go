package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"fusebox/agent"
	"fusebox/web/request"
)

// caller is the person who calls a tool.
type caller struct {
	viewer agent.Viewer
	grant  request.Grant
	// site is where links for people lead.
	site string
}

// link makes an address for people of a path.
func (c caller) link(local string) string { return c.site + local }

type callerKey struct{}

// callerName is where the protocol's side keeps the caller of a request.
const callerName = "caller"

func withCaller(ctx context.Context, who caller) context.Context {
	return context.WithValue(ctx, callerKey{}, who)
}

// callerIn is the sender of an HTTP request; the zero value is a stranger.
func callerIn(ctx context.Context) caller {
	who, _ := ctx.Value(callerKey{}).(caller)
	return who
}

// callerOf is the sender of a protocol message.
func callerOf(req sdk.Request) caller {
	extra := req.GetExtra()
	if extra == nil || extra.TokenInfo == nil {
		return caller{}
	}
	who, _ := extra.TokenInfo.Extra[callerName].(caller)
	return who
}
