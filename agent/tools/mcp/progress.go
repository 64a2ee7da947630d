package mcp

import (
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fusebox/agent/tools/printable"
)

// maxProgress bounds what one call shows while it runs.
const maxProgress = 64 << 10

// progress leads what servers report to the calls that it is about.
type progress struct {
	mu    sync.Mutex
	calls map[string]*watched
}

type watched struct {
	show  func(string)
	shown int
}

// watch shows the progress of a call until stop is called.
func (p *progress) watch(token string, show func(string)) (stop func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls == nil {
		p.calls = map[string]*watched{}
	}
	p.calls[token] = &watched{show: show}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.calls, token)
	}
}

// show passes on one report.
func (p *progress) show(r *mcp.ProgressNotificationParams) {
	token, ok := r.ProgressToken.(string)
	if !ok {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	w, ok := p.calls[token]
	if !ok {
		return
	}
	line := strconv.FormatFloat(r.Progress, 'f', -1, 64)
	if r.Total > 0 {
		line += " / " + strconv.FormatFloat(r.Total, 'f', -1, 64)
	}
	if r.Message != "" {
		line += ": " + r.Message
	}
	line = printable.Text(strings.ToValidUTF8(line, "\uFFFD")) + "\n"
	if w.shown += len(line); w.shown <= maxProgress {
		w.show(line)
	}
}
