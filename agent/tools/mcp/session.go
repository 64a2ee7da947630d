package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"fusebox/agent"
	"fusebox/agent/safehttp"
)

// version of the protocol that is offered. Servers answer with theirs; all of them know this
// one's handshake.
const version = "2025-11-25"

// Bounds of a session.
const (
	startTime = 30 * time.Second // until a server has introduced itself
	listTime  = 20 * time.Second // for all its tools
	pingTime  = 5 * time.Second
	maxTools  = 1000
)

type session struct {
	*mcp.ClientSession
	process *process           // nil for a server elsewhere
	cancel  context.CancelFunc // ends the connection, whatever it is doing
	gone    chan struct{}      // closed when the connection has ended
	closing sync.Once
}

// connect starts a server, or reaches it, and waits for its introduction.
func (k *keeper) connect(ctx context.Context) (*session, error) {
	s := &session{gone: make(chan struct{})}
	transport, err := k.transport(s)
	if err != nil {
		return nil, err
	}
	// The connection lives on after the start: only its own context ends it.
	var living context.Context
	living, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	type introduced struct {
		session *mcp.ClientSession
		err     error
	}
	done := make(chan introduced, 1)
	go func() {
		got, err := k.client().Connect(living, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
		done <- introduced{got, err}
	}()
	ctx, stop := agent.WithTimeout(ctx, k.clock, startTime, fmt.Errorf("it did not introduce itself within %s", startTime))
	defer stop()
	select {
	case got := <-done:
		if got.err != nil {
			return nil, s.close(got.err)
		}
		s.ClientSession = got.session
		go func() {
			defer close(s.gone)
			_ = got.session.Wait() // why is told by the process, or by the call that failed
		}()
		return s, nil
	case <-ctx.Done():
		go func() {
			if late := <-done; late.session != nil {
				_ = late.session.Close()
			}
		}()
		return nil, s.close(context.Cause(ctx))
	}
}

// transport starts the server's process, or makes the client that reaches it.
func (k *keeper) transport(s *session) (mcp.Transport, error) {
	m := rate.NewLimiter(maxRate, maxBurst)
	if k.conf.Transport == Stdio {
		ready, err := k.host.Find(k.conf.program())
		if err != nil {
			return nil, err
		}
		k.mu.Lock()
		k.reads, k.writes = ready.Folders()
		k.noise = &noise{}
		heard := k.noise
		k.mu.Unlock()
		if s.process, err = startProcess(ready, k.secrets); err != nil {
			return nil, err
		}
		return s.process.transport(m, heard), nil
	}
	client, err := k.conf.httpClient(m)
	if err != nil {
		return nil, err
	}
	if k.conf.Transport == SSE {
		return &mcp.SSEClientTransport{Endpoint: k.conf.URL, HTTPClient: client, MaxEventSize: maxMessage}, nil
	}
	return &mcp.StreamableClientTransport{Endpoint: k.conf.URL, HTTPClient: client, MaxRetries: 2, MaxEventSize: maxMessage}, nil
}

// httpClient reaches the configured address, be it private, and no other private one.
func (s Server) httpClient(m *rate.Limiter) (*http.Client, error) {
	origin, err := safehttp.Origin(s.URL)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, fmt.Errorf("parse url: %w", err)
	}
	client := safehttp.New(safehttp.Options{Allow: []string{origin}})
	client.Transport = carrier{base: client.Transport, headers: s.Headers, origin: u.Scheme + "://" + u.Host, meter: m}
	return client, nil
}

// list asks for all tools.
func (k *keeper) list(ctx context.Context, s *session) ([]*mcp.Tool, error) {
	ctx, cancel := agent.WithTimeout(ctx, k.clock, listTime, fmt.Errorf("it did not answer within %s", listTime))
	defer cancel()
	if s.capabilities().Tools == nil {
		return nil, nil
	}
	var all []*mcp.Tool
	for tool, err := range s.Tools(ctx, nil) {
		if err != nil {
			return nil, fmt.Errorf("list its tools: %w", cmp.Or(context.Cause(ctx), err))
		}
		if all = append(all, tool); len(all) > maxTools {
			return nil, fmt.Errorf("it has more than %d tools", maxTools)
		}
	}
	return all, nil
}

// capabilities are what the server says it has, which may be nothing.
func (s *session) capabilities() *mcp.ServerCapabilities {
	return cmp.Or(s.InitializeResult().Capabilities, &mcp.ServerCapabilities{})
}

// answers reports whether the server reacts at all.
func (k *keeper) answers(ctx context.Context, s *session) bool {
	_, err := within(ctx, k.clock, pingTime, func(ctx context.Context) (struct{}, error) { return struct{}{}, s.Ping(ctx, nil) })
	return err == nil
}

// errGone is the end of a connection of which nothing else is known.
var errGone = errors.New("the connection to it ended")

// close ends the connection and everything that was started for it. It returns why: what
// was noticed of the end, or what the process says of its own.
func (s *session) close(noticed error) error {
	s.closing.Do(func() {
		if s.process != nil {
			s.process.close() // first: what is stuck in writing to it comes back
		}
		if s.ClientSession != nil {
			go func() { _ = s.Close() }() // it may wait for a server that does not answer
		}
		if s.cancel != nil {
			s.cancel()
		}
	})
	if s.process != nil && (errors.Is(noticed, errGone) || errors.Is(noticed, io.EOF) || errors.Is(noticed, syscall.EPIPE) || errors.Is(noticed, mcp.ErrConnectionClosed)) {
		return errors.New(s.process.why)
	}
	return noticed
}
