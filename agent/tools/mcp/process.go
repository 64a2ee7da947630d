package mcp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"fusebox/agent/tools/sandboxed"
)

// endGrace is how long a server may take to end by itself once its input is closed.
const endGrace = time.Second

// process is a running server that speaks over its input and output.
type process struct {
	input, output *os.File
	said          *lastWords
	end           context.CancelFunc
	ended         chan struct{} // closed when nothing of it is left
	why           string        // how it ended, once it has
}

// startProcess starts a server. It ends with all it has started when the process is
// closed, and when this program ends.
func startProcess(ready sandboxed.Ready, secrets sandboxed.Secrets) (*process, error) {
	ctx, cancel := context.WithCancel(context.Background())
	cmd, room, err := ready.Command(ctx, false)
	if err != nil {
		cancel()
		return nil, err
	}
	p := &process{said: &lastWords{secrets: secrets}, end: cancel, ended: make(chan struct{})}
	theirInput, theirOutput, err := p.pipes()
	if err != nil {
		cancel()
		return nil, errors.Join(err, room.Close())
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirInput, theirOutput, p.said
	err = cmd.Start()
	_, _ = theirInput.Close(), theirOutput.Close() // the program has its own now
	if err != nil {
		cancel()
		return nil, errors.Join(err, room.Close(), p.input.Close(), p.output.Close())
	}
	go func() {
		defer close(p.ended)
		err := cmd.Wait()
		p.why = howItEnded(err, room.Trouble(), p.said.line())
		_ = room.Close() // nothing is left in it
	}()
	return p, nil
}

// pipes makes both ends of a server's input and output.
func (p *process) pipes() (theirInput, theirOutput *os.File, err error) {
	if theirInput, p.input, err = os.Pipe(); err != nil {
		return nil, nil, fmt.Errorf("make a pipe: %w", err)
	}
	if p.output, theirOutput, err = os.Pipe(); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("make a pipe: %w", err), theirInput.Close(), p.input.Close())
	}
	return theirInput, theirOutput, nil
}

func (p *process) transport(m *rate.Limiter, n *noise) mcp.Transport {
	return &mcp.IOTransport{Reader: messages(metered{p.output, m}, n), Writer: p.input, MaxLineLength: maxMessage}
}

// close ends the server: it may do so itself for a moment, then it is killed.
func (p *process) close() {
	_ = p.input.Close() // it may be closed already
	grace := time.NewTimer(endGrace)
	defer grace.Stop()
	select {
	case <-p.ended:
	case <-grace.C:
	}
	p.end()
	<-p.ended // bounded by the sandbox
	_ = p.output.Close()
}

// howItEnded is a server's end in a few words.
func howItEnded(err error, trouble, said string) string {
	parts := []string{"it ended"}
	if err != nil {
		parts = []string{"it ended: " + err.Error()}
	}
	for _, more := range []string{trouble, said} {
		if more != "" {
			parts = append(parts, more)
		}
	}
	return strings.Join(parts, "; ")
}

// lastWords keeps the end of what a server says besides its answers.
type lastWords struct {
	secrets sandboxed.Secrets
	mu      sync.Mutex
	tail    []byte
	cut     bool // there was more before
}

// maxWords bounds what is kept.
const maxWords = 4 << 10

func (w *lastWords) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tail = append(w.tail, p...)
	if more := len(w.tail) - maxWords; more > 0 {
		w.tail, w.cut = append(w.tail[:0], w.tail[more:]...), true
	}
	return len(p), nil
}

// line is the last line that says something.
func (w *lastWords) line() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	scrub := w.secrets.Scrub
	if w.cut {
		scrub = w.secrets.Tail
	}
	text := strings.TrimSpace(scrub(string(w.tail)))
	text = text[strings.LastIndexByte(text, '\n')+1:]
	return strings.ToValidUTF8(text[max(len(text)-300, 0):], "\uFFFD")
}
