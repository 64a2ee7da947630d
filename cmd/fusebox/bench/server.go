package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"sync"
	"syscall"
	"time"
)

// startTimeout bounds how long the server may take until it listens, stopTimeout
// until it has ended.
const (
	startTimeout = 30 * time.Second
	stopTimeout  = 15 * time.Second
)

// server is the program as a process of its own.
type server struct {
	cmd     *exec.Cmd
	log     *serverLog
	ended   chan struct{} // closed when the process has ended
	url     string
	started time.Duration // from the start of the process to listening
}

// start starts the program and waits until it listens. The process ends with ctx.
func start(ctx context.Context, program string, env []string) (*server, error) {
	s := &server{cmd: exec.CommandContext(ctx, program, "serve"), log: &serverLog{listening: make(chan string, 1)}, ended: make(chan struct{})}
	s.cmd.Env, s.cmd.Stderr, s.cmd.WaitDelay = env, s.log, stopTimeout
	begin := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	go func() {
		_ = s.cmd.Wait() // how it ended is in its state
		close(s.ended)
	}()
	select {
	case s.url = <-s.log.listening:
		s.started = s.log.at.Sub(begin)
		return s, nil
	case <-s.ended:
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("the server ended before it listened (%s): %s", s.cmd.ProcessState, s.log.tail())
	case <-time.After(startTimeout):
		s.kill()
		return nil, fmt.Errorf("the server did not listen within %s: %s", startTimeout, s.log.tail())
	}
}

// stop ends the server in order.
func (s *server) stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("stop the server: %w", err)
	}
	select {
	case <-s.ended:
		return nil
	case <-time.After(stopTimeout):
		s.kill()
		return errors.New("the server did not stop when it was asked to")
	}
}

// kill ends the server at once: nothing of it is kept.
func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	<-s.ended
}

// logTail bounds the log that is kept to explain a server that does not start.
const logTail = 2 << 10

var listeningLine = regexp.MustCompile(`msg=listening url=(\S+)\n`)

// serverLog looks for the line that has the address.
type serverLog struct {
	listening chan string
	at        time.Time // when the line came

	mu   sync.Mutex
	last []byte
	told bool
}

// Write implements io.Writer.
func (l *serverLog) Write(p []byte) (int, error) {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = append(l.last, p...)
	if m := listeningLine.FindSubmatch(l.last); m != nil && !l.told {
		l.told, l.at = true, now
		l.listening <- string(m[1])
	}
	if extra := len(l.last) - logTail; extra > 0 {
		l.last = append(l.last[:0], l.last[extra:]...)
	}
	return len(p), nil
}

func (l *serverLog) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := bytes.TrimSpace(l.last)
	return string(last[bytes.LastIndexByte(last, '\n')+1:])
}
