package mcp

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/address"
	"fusebox/web/live"
	"fusebox/web/request"
)

// Path is where clients connect to.
const Path = request.MCPPath

// How long one call waits for a run, and how long it goes on waiting once the run waits
// for a person. Clients often give up after a minute, and giving up would abort the run.
const (
	maxWait   = 50 * time.Second
	pauseWait = 5 * time.Second
)

// sessionless is the first version of the protocol in which a request stands for itself.
const sessionless = "2026-07-28"

// Options are what the server is made of.
type Options struct {
	Store         service.Store
	Messages      *service.Messages
	Runs          *service.Runs
	Conversations *service.Conversations
	Log           *live.EventLog
	Streams       *live.Streams
	Visibility    *request.Visibility
	Address       address.Site
	// PublicURL is where links that are handed on lead.
	PublicURL string
	Logger    *slog.Logger
	Version   string
}

// Server answers at Path.
type Server struct {
	Options
	closing  context.Context
	sessions *sessions
	// bySession keeps a session between requests, as the protocol had it at first. To
	// newer clients, each request stands for itself.
	bySession, byRequest http.Handler
}

// New makes a server, whose sessions end with closing.
func New(closing context.Context, o Options) *Server {
	s := &Server{Options: o, closing: closing, sessions: &sessions{seats: map[*sdk.ServerSession]*seat{}}}
	// The tools' schemas take a while to make: a program that starts does not wait for it.
	tools := sync.OnceValue(s.tools)
	get := func(*http.Request) *sdk.Server { return tools() }
	// The names that requests may be made to, and the size of a body, are checked
	// before, for all addresses.
	s.bySession = known(sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{
		DisableLocalhostProtection: true, SessionTimeout: sessionIdle,
	}))
	s.byRequest = known(sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{
		DisableLocalhostProtection: true, Stateless: true, PropagateRequestCancellation: true,
	}))
	context.AfterFunc(closing, s.sessions.endAll)
	return s
}

// tools makes the protocol's side of the server.
func (s *Server) tools() *sdk.Server {
	t := sdk.NewServer(&sdk.Implementation{Name: "fusebox", Title: "Fusebox", Version: s.Version}, &sdk.ServerOptions{Instructions: instructions})
	t.AddReceivingMiddleware(s.caught, s.seated)
	addTool(s, t, askTool, agent.TokenChat, s.ask)
	addTool(s, t, runsTool, agent.TokenRead, s.runs)
	addTool(s, t, approvalsTool, agent.TokenRead, s.approvals)
	return t
}

const instructions = "Fusebox runs agents behind breakers, budgets, and approvals by people. `ask` gives it a task. " +
	"A run may pause until a person decides: show that person the link. You cannot decide yourself."

// Serve is POST, GET, and DELETE at Path.
func (s *Server) Serve(c echo.Context) error {
	r := c.Request()
	if origin := r.Header.Get("Origin"); origin != "" && !s.Address.OwnOrigin(origin, r.Host) {
		return agent.Errorf(agent.Forbidden, "Pages of other sites cannot use this address. Connect with a program.")
	}
	if err := check(c); err != nil {
		return err
	}
	ctx, release, err := s.Streams.OpenStream(r.Context(), c)
	if err != nil {
		return err
	}
	defer release()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer context.AfterFunc(s.closing, func() { end(errStopping) })()
	who := caller{viewer: request.Viewer(c), grant: request.GrantOf(c), site: request.PublicLink(c, s.PublicURL, "")}
	c.Response().Header().Set("X-Accel-Buffering", "no") // proxies that buffer would hold events back
	w := &writer{c.Response(), http.NewResponseController(c.Response())}
	side := s.bySession
	if r.Header.Get("Mcp-Protocol-Version") >= sessionless {
		side = s.byRequest
	} else if r.Method == http.MethodDelete {
		s.sessions.hangUp(r.Header.Get("Mcp-Session-Id"), who.viewer)
	}
	side.ServeHTTP(w, c.Request().WithContext(context.WithValue(ctx, callerKey{}, who)))
	return nil
}

// known tells the protocol's side who is calling.
func known(h http.Handler) http.Handler {
	verify := func(_ context.Context, _ string, r *http.Request) (*auth.TokenInfo, error) {
		who := callerIn(r.Context())
		// A session belongs to the token that it was opened with.
		return &auth.TokenInfo{UserID: who.viewer.UserID + " " + who.viewer.Token, Extra: map[string]any{callerName: who}}, nil
	}
	return auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(h)
}
