package mcp

import (
	"context"
	"errors"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"fusebox/agent"
	"fusebox/web/live"
	"fusebox/web/request"
)

type call struct {
	caller
	session *sdk.ServerSession
	// progress is the caller's progress token, nil where nobody follows the call.
	progress any
}

// addTool offers a tool to tokens of a scope. What it returns is said in text, and as
// the structure.
func addTool[In, Out any](s *Server, to *sdk.Server, t *sdk.Tool, scope agent.TokenScope, do func(context.Context, call, In) (*sdk.CallToolResult, Out, error)) {
	sdk.AddTool(to, t, func(ctx context.Context, req *sdk.CallToolRequest, in In) (res *sdk.CallToolResult, out Out, err error) {
		who := callerOf(req)
		if who.viewer.UserID == "" {
			return nil, out, s.said(request.ErrSignIn)
		}
		if err := who.grant.Needs(scope); err != nil {
			return nil, out, s.said(err)
		}
		res, out, err = do(agent.WithViewer(ctx, who.viewer), call{who, req.Session, req.Params.GetProgressToken()}, in)
		return res, out, s.said(err)
	})
}

// said is what a caller may learn of an error.
func (s *Server) said(err error) error {
	if err == nil {
		return nil
	}
	switch {
	case s.closing.Err() != nil: // a call may outlast the database, and nobody waits for its answer
		return errStopping
	case agent.CodeOf(err) == agent.Internal:
		s.Logger.Error("a call of a tool failed", "path", Path, "error", err)
	}
	return errors.New(agent.MessageOf(err))
}

// caught keeps a panic from ending the process.
func (s *Server) caught(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (res sdk.Result, err error) {
		err = request.Caught(s.Logger, Path, func() error {
			res, err = next(ctx, method, req)
			return err
		})
		return res, err
	}
}

// seated gives every session that begins a seat.
func (s *Server) seated(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if ss, ok := req.GetSession().(*sdk.ServerSession); ok && method == "initialize" {
			if s.closing.Err() != nil {
				return nil, errStopping
			}
			if err := s.sessions.open(ss, callerOf(req).viewer); err != nil {
				return nil, err
			}
		}
		return next(ctx, method, req)
	}
}

// text is a result that is read by models.
func text(said string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: said}}}
}

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

// writer gives up on a client that takes nothing: it must not hold a connection, and the
// calls that report to it, for ever.
type writer struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (w *writer) Write(b []byte) (int, error) {
	if err := w.control.SetWriteDeadline(time.Now().Add(live.SocketWrite)); err != nil {
		return 0, err
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets the answer be flushed.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
