package looptest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
)

// faultServer is a model's endpoint that speaks HTTP by hand, so that it can
// break off anywhere. What a connection meets is dealt in the order in which
// connections are made; after the last fate all are healthy.
type faultServer struct {
	t        *testing.T
	clock    *faultClock
	listener net.Listener
	refusing string // an address at which nobody listens
	dealt    chan faultFate
	handlers sync.WaitGroup

	mu     sync.Mutex
	fates  []faultFate
	tries  int // connections asked for, the refused ones too
	echoed int // bodies that held the key
	last   wireRequest
}

// faultFate is what one connection meets: a fault at a place of the answer.
type faultFate struct {
	fault *fault // nil for none
	at    faultPlace
}

func newFaultServer(t *testing.T, clock *faultClock, fates []faultFate) *faultServer {
	t.Helper()
	s := &faultServer{t: t, clock: clock, fates: fates, dealt: make(chan faultFate, 1)}
	s.listener = listenLocal(t)
	s.refusing = deadAddress(t)
	s.handlers.Go(s.accept)
	t.Cleanup(func() {
		clock.close()
		_ = s.listener.Close()
		s.handlers.Wait()
	})
	return s
}

func listenLocal(t *testing.T) net.Listener {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// deadAddress is the near end of a connection: it is taken, so that no
// listener of another test gets it, and nobody listens there.
func deadAddress(t *testing.T) string {
	t.Helper()
	l := listenLocal(t)
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Close()
		_ = l.Close()
	})
	return c.LocalAddr().String()
}

// client makes one connection for each request.
func (s *faultServer) client() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: s.dial}}
}

func (s *faultServer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	f := s.deal()
	if f.fault != nil && f.fault.refused {
		return (&net.Dialer{}).DialContext(ctx, network, s.refusing)
	}
	s.dealt <- f
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

func (s *faultServer) deal() faultFate {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tries++
	if len(s.fates) == 0 {
		return faultFate{}
	}
	f := s.fates[0]
	s.fates = s.fates[1:]
	return f
}

// heal makes all later connections healthy.
func (s *faultServer) heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fates = nil
}

func (s *faultServer) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		f := <-s.dealt
		s.handlers.Go(func() { s.serve(c.(*net.TCPConn), f) })
	}
}

// faultExchange is one connection with its request read.
type faultExchange struct {
	*net.TCPConn
	server *faultServer
	try    int
	answer modelAnswer
	auth   string
	// streamed says that the answer was asked for as a stream: pieces of another one
	// reach the loop together, so that nobody can wait until they are read.
	streamed bool
}

func (s *faultServer) serve(c *net.TCPConn, f faultFate) {
	defer func() { _ = c.Close() }()
	req, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		s.t.Errorf("no request: %v", err)
		return
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		s.t.Errorf("half a request: %v", err)
		return
	}
	x := &faultExchange{TCPConn: c, server: s, try: s.clock.current(), auth: req.Header.Get("Authorization")}
	x.answer, x.streamed = s.hear(body)
	if x.auth != "Bearer "+faultKey {
		s.t.Errorf("the request is authorized by %q", x.auth)
	}
	if f.fault == nil {
		x.stream(len(x.answer.chunks))
		return
	}
	if f.at.chunks > 0 && (x.streamed || !f.fault.mute) {
		x.stream(f.at.chunks)
		if x.streamed {
			s.clock.await(x.try, f.at.pieces)
		}
	}
	f.fault.strike(x, f.at)
}

// hear checks a request against what strict endpoints ask, and finds its answer.
func (s *faultServer) hear(body []byte) (answer modelAnswer, streamed bool) {
	var req wireRequest
	if err := json.Unmarshal(body, &req); err != nil {
		s.t.Errorf("the request is no JSON: %v", err)
	}
	if err := req.strict(); err != nil {
		s.t.Errorf("%v in %s", err, body)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = req
	return req.answer(), req.Stream
}

// wireRequest is what a request's history looks like on the wire.
type wireRequest struct {
	Stream   bool `json:"stream"`
	Messages []struct {
		Role       string `json:"role"`
		Content    string `json:"content"`
		ToolCallID string `json:"tool_call_id"`
		ToolCalls  []struct {
			ID string `json:"id"`
		} `json:"tool_calls"`
	} `json:"messages"`
}

// strict wants each call followed by its result at once, in the calls' order,
// and no result that was not asked for.
func (r wireRequest) strict() error {
	var owed []string
	for i, m := range r.Messages {
		switch {
		case len(owed) > 0 && (m.Role != "tool" || m.ToolCallID != owed[0]):
			return fmt.Errorf("message %d: the result of %s must stand here", i, owed[0])
		case len(owed) == 0 && m.Role == "tool":
			return fmt.Errorf("message %d: nobody asked for the result of %s", i, m.ToolCallID)
		case m.Role == "tool":
			owed = owed[1:]
		case m.Role == "assistant" && m.Content == "" && len(m.ToolCalls) == 0:
			return fmt.Errorf("message %d: an empty answer", i)
		}
		for _, c := range m.ToolCalls {
			owed = append(owed, c.ID)
		}
	}
	if len(owed) > 0 {
		return fmt.Errorf("the history ends without the result of %s", owed[0])
	}
	return nil
}

// results counts the tools' results in the history.
func (r wireRequest) results() (n int) {
	for _, m := range r.Messages {
		if m.Role == "tool" {
			n++
		}
	}
	return n
}

// answer is the healthy model's: it looks, it tells, and it is asked again.
func (r wireRequest) answer() modelAnswer {
	for _, m := range r.Messages {
		if m.Role == "user" && m.Content == secondPost {
			return answerLast
		}
	}
	if r.results() > 0 {
		return answerTells
	}
	return answerLooks
}
