package e2e

import (
	"context"
	"os/exec"
	"sync"

	"github.com/chromedp/chromedp"

	"fusebox/agent/agenttest"
)

// chromium is the one browser process of all tests.
var chromium chromiumProcess

// chromiumProcess is started by the first test that needs it.
type chromiumProcess struct {
	once sync.Once
	ctx  context.Context
	end  func()
	err  error
}

// start returns the context in which tabs are opened.
func (c *chromiumProcess) start() (context.Context, error) {
	c.once.Do(func() {
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromiumPath()), chromedp.NoSandbox,
			chromedp.Flag("disable-gpu", true), chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("disable-quic", true),
			chromedp.WindowSize(1440, 900))
		allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, done := chromedp.NewContext(allocator)
		c.ctx, c.end = ctx, func() { done(); stop() }
		c.err = chromedp.Do(ctx)
	})
	return c.ctx, c.err
}

// stop ends the process, where there is one, and removes its profile.
func (c *chromiumProcess) stop() {
	if c.end != nil {
		c.end()
	}
}

// chromiumPath is the program, "" where there is none. Unless everything is asked for, it
// is the same engine without the windows around it, if there is one: it takes a third less
// processor time.
func chromiumPath() string {
	names := []string{"chromium", "chromium-browser", "google-chrome"}
	if !agenttest.Full() {
		names = append([]string{"chromium-headless-shell"}, names...)
	}
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	return ""
}
