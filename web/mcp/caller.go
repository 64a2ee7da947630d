package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"

	"github.com/labstack/echo/v4"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"fusebox/agent"
	"fusebox/web/request"
)

// caller is who calls a tool.
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

// callerIn is who sent an HTTP request; the zero value is a stranger.
func callerIn(ctx context.Context) caller {
	who, _ := ctx.Value(callerKey{}).(caller)
	return who
}

// callerOf is who sent a message of the protocol.
func callerOf(req sdk.Request) caller {
	extra := req.GetExtra()
	if extra == nil || extra.TokenInfo == nil {
		return caller{}
	}
	who, _ := extra.TokenInfo.Extra[callerName].(caller)
	return who
}

// checkScopes refuses a call of a tool for which the request's token lacks the scope, so
// that clients get the status for it. It reads loosely: the tool checks again.
func checkScopes(c echo.Context) error {
	body, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return err // the limit of the body, which the router turns into its status
	}
	c.Request().Body = io.NopCloser(bytes.NewReader(body))
	for _, m := range messages(body) {
		if m.Method == "tools/call" && m.Params.Name == askTool.Name {
			return request.GrantOf(c).Needs(agent.TokenChat)
		}
	}
	return nil
}

// message is what checkScopes looks at.
type message struct {
	Method string
	Params struct{ Name string }
}

// messages reads one message or, as old clients send them, a list. What cannot be read
// is left to the protocol's side to refuse.
func messages(body []byte) []message {
	var one message
	if json.Unmarshal(body, &one) == nil {
		return []message{one}
	}
	var several []message
	if json.Unmarshal(body, &several) != nil {
		return nil
	}
	return several
}
