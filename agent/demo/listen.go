package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// The bounds of the demo server's connections, and how long open streams may
// go on after a stop.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	stopTimeout   = 2 * time.Second
)

// Server is a demo model that listens.
type Server struct {
	addr net.Addr
	done chan struct{}
	err  error // set before done is closed
}

// Listen serves the demo model at addr ("127.0.0.1:0" picks a free port) until
// ctx ends.
func Listen(ctx context.Context, addr string, o Options) (*Server, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("demo model: %w", err)
	}
	s := &Server{addr: ln.Addr(), done: make(chan struct{})}
	go func() {
		defer close(s.done)
		s.err = serve(ctx, ln, o)
	}()
	return s, nil
}

// BaseURL is the address for an OpenAI client: http://host:port/v1.
func (s *Server) BaseURL() string {
	host, port, err := net.SplitHostPort(s.addr.String())
	if err != nil {
		return "http://" + s.addr.String() + "/v1"
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1" // listening everywhere, reached here
	}
	return "http://" + net.JoinHostPort(host, port) + "/v1"
}

// Wait returns once the server has stopped; nil after the end of its context.
func (s *Server) Wait() error {
	<-s.done
	return s.err
}

func serve(ctx context.Context, ln net.Listener, o Options) error {
	srv := &http.Server{Handler: Handler(o), ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout}
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		if srv.Shutdown(grace) != nil {
			_ = srv.Close() // open streams are cut
		}
	})
	err := srv.Serve(ln)
	if !stop() {
		<-stopped
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
