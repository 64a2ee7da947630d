package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fusebox/agent"
	"fusebox/agent/tools/accepted"
	"fusebox/agent/tools/printable"
	"fusebox/agent/tools/sandboxed"
)

// How a server is watched and started again.
const (
	pingEvery   = 30 * time.Second
	firstPause  = time.Second
	longestWait = time.Minute
	// steady is how long a server has to work for its next failure to count as the first.
	steady = time.Minute
	// relistPause is the least time between two looks at a changing list.
	relistPause = 500 * time.Millisecond
)

// keeper keeps one server running and knows what it offers.
type keeper struct {
	conf     Server
	host     sandboxed.Host
	offers   offers
	memory   accepted.Memory
	clock    agent.Clock
	log      *slog.Logger
	secrets  sandboxed.Secrets
	progress progress
	askers   askers

	walls agent.Walls

	relist  chan struct{} // the list of tools has changed
	suspect chan struct{} // a call took too long: is anybody there?

	judging sync.Mutex // one at a time decides what is offered

	mu      sync.Mutex
	state   agent.ToolServerState
	problem string
	again   bool          // it has failed more than once in a row
	moved   chan struct{} // closed and replaced whenever state changes
	session *session      // nil while there is none
	listing listing
	noise   *noise // of its newest process, nil for a server elsewhere
	// reads and writes are the folders that its process may use.
	reads, writes []string
}

// run keeps the server running until ctx ends.
func (k *keeper) run(ctx context.Context) {
	pause := firstPause
	for ctx.Err() == nil {
		began := k.clock.Now()
		err := k.serve(ctx)
		if ctx.Err() != nil {
			return
		}
		if k.clock.Now().Sub(began) > steady {
			pause = firstPause
		}
		k.failed(err, pause, pause > firstPause)
		k.rest(ctx, pause)
		pause = min(pause*2, longestWait)
	}
}

// serve starts the server and stays with it until it is gone, or does not answer any more.
func (k *keeper) serve(ctx context.Context) error {
	k.set(agent.ServerStarting, "")
	s, err := k.connect(ctx)
	if err != nil {
		return err // it says how the process ended, where there was one
	}
	defer k.drop()
	err = k.look(ctx, s)
	if err == nil {
		k.adopt(s)
		err = k.watch(ctx, s)
	}
	return s.close(err)
}

// rest waits, or not even that once ctx has ended.
func (k *keeper) rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-k.clock.After(d):
	}
}

// watch returns when the server is gone.
func (k *keeper) watch(ctx context.Context, s *session) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.gone:
			return errGone
		case <-k.relist:
			if err := k.look(ctx, s); err != nil {
				return err
			}
			k.rest(ctx, relistPause)
			continue
		case <-k.suspect:
		case <-k.clock.After(pingEvery):
		}
		if !k.answers(ctx, s) {
			return fmt.Errorf("it did not answer within %s", pingTime)
		}
	}
}

// client is how we introduce ourselves, and what we hear.
func (k *keeper) client() *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "fusebox", Version: "1"}, &mcp.ClientOptions{
		Capabilities:                &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}}},
		ElicitationHandler:          k.elicit,
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { wake(k.relist) },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { k.progress.show(r.Params) },
	})
}

// wake leaves a note; one that is there already says the same.
func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// set changes the state and tells whoever waits for it.
func (k *keeper) set(state agent.ToolServerState, problem string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.state, k.problem = state, k.secrets.Scrub(problem)
	close(k.moved)
	k.moved = make(chan struct{})
}

// adopt makes a session the one that calls use.
func (k *keeper) adopt(s *session) {
	k.mu.Lock()
	k.session = s
	n := len(k.listing.tools)
	k.mu.Unlock()
	k.settle()
	k.log.Info("MCP server is ready", "server", k.conf.Name, "tools", n)
}

func (k *keeper) drop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.session = nil
}

// settle sets the state of a server that answers.
func (k *keeper) settle() {
	k.mu.Lock()
	state, refused := agent.ServerReady, strings.Join(k.listing.refused, "; ")
	if k.listing.tools.Held() > 0 {
		state = agent.ServerChanged
	}
	k.mu.Unlock()
	k.set(state, refused)
}

// failed says why the server does not work. Calls wait for its start after a first failure,
// not after further ones.
func (k *keeper) failed(err error, pause time.Duration, again bool) {
	why := agent.Clip(k.inWords(err), maxProblem)
	k.mu.Lock()
	k.again = again
	k.mu.Unlock()
	k.set(agent.ServerFailed, why)
	k.log.Warn("MCP server failed", "server", k.conf.Name, "error", why, "again_in", pause)
}

// maxProblem bounds what is shown of a failure.
const maxProblem = 600

// inWords is a failure without secrets, and without the names of the protocol's methods.
func (k *keeper) inWords(err error) string {
	text := strings.ReplaceAll(k.secrets.Scrub(printable.Text(err.Error())), "\n", "; ")
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, errFlood):
		return errFlood.Error()
	case errors.Is(err, errLongMessage):
		return errLongMessage.Error()
	case errors.As(err, &syntax):
		return "it wrote what is not JSON: " + syntax.Error()
	}
	if _, rest, found := strings.Cut(text, "rejected by transport: "); found {
		return rest
	}
	if call, rest, found := strings.Cut(text, `": `); found && strings.HasPrefix(call, `calling "`) {
		return rest
	}
	return text
}

// ready waits until the server works, and says why it does not.
func (k *keeper) ready(ctx context.Context) (*session, error) {
	for {
		k.mu.Lock()
		state, problem, again, moved, s := k.state, k.problem, k.again, k.moved, k.session
		k.mu.Unlock()
		switch {
		case s != nil:
			return s, nil
		case state == agent.ServerFailed && again:
			return nil, fmt.Errorf("the MCP server %s does not work: %s; it is started again soon", k.conf.Name, problem)
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return nil, fmt.Errorf("the MCP server %s is still starting", k.conf.Name)
		}
	}
}
