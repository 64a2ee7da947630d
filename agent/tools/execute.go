package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"fusebox/agent"
	"fusebox/agent/tools/limits"
	"fusebox/agent/tools/picture"
	"fusebox/agent/tools/printable"
)

// errToolTime is the cause with which a call's own time runs out.
var errToolTime = errors.New("the tool's time is up")

// stopGrace is how long a tool may take to come back once its context has
// ended; then its call has a result without it.
const stopGrace = 150 * time.Millisecond

// Execute implements agent.Toolbox.
func (r *Registry) Execute(ctx context.Context, name string, in agent.ToolInput) agent.ToolResult {
	e, ok := r.find(name)
	if !ok {
		return failed(agent.ErrNotRegistered, "There is no tool named %q. The tools are: %s.", name, r.names())
	}
	leave, err := r.limits.Enter(ctx, name, e.spec.Source, func(l limits.Limit) {
		if in.Progress != nil {
			in.Progress("Waits for its turn: " + l.String() + ".\n")
		}
	})
	if err != nil {
		if full, ok := errors.AsType[*limits.FullError](err); ok {
			return failed(agent.ErrExecution, "The call did not begin, and nothing was done: this server allows %s, and no place became free within %s. Try again later.", full.Limit, limits.MaxWait)
		}
		return failed(agent.ErrCancelled, "The call was cancelled while it waited for its turn. Nothing was done.")
	}
	defer leave()
	timeout := e.spec.Timeout
	if timeout == 0 {
		timeout = r.timeout
	}
	in.Limit = timeout
	out := &shown{pass: in.Progress}
	in.Progress = out.show
	defer out.close()
	var closeStarted func()
	in.Started, closeStarted = gateStarted(in.Started)
	defer closeStarted()
	own := allot(ctx, r.clock, timeout)
	defer own.cancel(nil)
	if in.Ask != nil {
		in.Ask = own.asking(in.Ask)
	}
	return r.inline(in, r.pictured(in, e.spec, r.await(own, e.tool, in, timeout, out)))
}

// errEnded keeps a tool that comes back late from starting a program.
var errEnded = errors.New("the call has its result already")

// gateStarted lets a tool say what it has started as long as its call has no result.
func gateStarted(store func(string) error) (started func(string) error, closeStarted func()) {
	var mu sync.Mutex
	closed := false
	started = func(process string) error {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case closed:
			return errEnded
		case store == nil:
			return nil
		default:
			return store(process)
		}
	}
	return started, func() {
		mu.Lock()
		defer mu.Unlock()
		closed = true
	}
}

// await runs the tool in a goroutine of its own. A tool that ignores its
// context keeps that goroutine until it returns; its call does not wait, and keeps the
// output shown so far.
func (r *Registry) await(ctx context.Context, t Tool, in agent.ToolInput, timeout time.Duration, out *shown) agent.ToolResult {
	done := make(chan agent.ToolResult, 1)
	go func() { done <- r.safely(ctx, t, in) }()
	select {
	case res := <-done:
		return interrupted(ctx, res, timeout)
	case <-ctx.Done():
	}
	select {
	case res := <-done:
		return interrupted(ctx, res, timeout)
	case <-r.clock.After(stopGrace):
		return interrupted(ctx, agent.ToolResult{ErrorType: agent.ErrCancelled, Content: out.text()}, timeout)
	}
}

// safely turns a panic of the tool into a result.
func (r *Registry) safely(ctx context.Context, t Tool, in agent.ToolInput) (res agent.ToolResult) {
	defer func() {
		if p := recover(); p != nil {
			r.log.Error("tool panicked", "tool", t.Spec().Name, "run_id", in.RunID, "panic", p, "stack", string(debug.Stack()))
			res = failed(agent.ErrUnhandledPanic, "The tool failed with an internal error. It has been logged; another call may fail too.")
		}
	}()
	return t.Run(ctx, in)
}

// interrupted words the result of a call whose context ended. What the tool
// had put out until then is kept.
func interrupted(ctx context.Context, res agent.ToolResult, timeout time.Duration) agent.ToolResult {
	if ctx.Err() == nil || res.ErrorType == "" {
		return res
	}
	said := "The call was cancelled."
	res.ErrorType = agent.ErrCancelled
	if errors.Is(context.Cause(ctx), errToolTime) {
		said = fmt.Sprintf("The call was ended after %s, its time limit. It may have had effects.", timeout)
		res.ErrorType = agent.ErrTimeout
	}
	res.Content = strings.TrimSpace(said + "\n" + res.Content)
	return res
}

// pictured keeps the pictures of a result. What a tool from outside has written out in
// base64 is taken out of its text, as is what nobody should get of a text from outside.
func (r *Registry) pictured(in agent.ToolInput, spec agent.ToolSpec, res agent.ToolResult) agent.ToolResult {
	if spec.Set == agent.WebTools {
		res.Content = printable.Text(res.Content)
	}
	if spec.Source != "builtin" {
		pictures := picture.Roll{Images: res.Images}
		res.Content = printable.Text(res.Content)
		res.Content = pictures.Scrub(res.Content)
		res.Images = pictures.Images
	}
	var kept []agent.Image
	for _, img := range res.Images {
		if err := r.outputs.keepImage(in, img); err != nil {
			r.log.Error("keeping a picture failed", "run_id", in.RunID, "conversation_id", in.ConversationID, "error", err)
			continue
		}
		img.Data = nil
		kept = append(kept, img)
	}
	res.Images = kept
	return res
}

// inline cuts a long result to head and tail and keeps the whole in a file. A
// tool that has done so itself has kept more than what is left here.
func (r *Registry) inline(in agent.ToolInput, res agent.ToolResult) agent.ToolResult {
	res.Content = strings.ToValidUTF8(res.Content, "\uFFFD")
	if len(res.Content) <= r.limit || res.Truncated {
		return res
	}
	where, err := r.outputs.keep(in, res.Content)
	if err != nil {
		r.log.Error("keeping a long result failed", "run_id", in.RunID, "error", err)
	}
	res.Content, res.Truncated = headAndTail(res.Content, r.limit, where), true
	return res
}

// headAndTail keeps two thirds of limit from the front and the rest from the
// back of a valid text, without cutting a character in two.
func headAndTail(s string, limit int, where string) string {
	head, tail := s[:limit*2/3], s[len(s)-limit/3:]
	for r, n := utf8.DecodeLastRuneInString(head); r == utf8.RuneError && n == 1; r, n = utf8.DecodeLastRuneInString(head) {
		head = head[:len(head)-1]
	}
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return head + cutMark(len(s)-len(head)-len(tail), where) + tail
}

func cutMark(n int, where string) string {
	if where == "" {
		return fmt.Sprintf("\n[… %d bytes left out …]\n", n)
	}
	return fmt.Sprintf("\n[… %d bytes left out; the whole is kept in %s; fetch_output reads it by part …]\n", n, where)
}

// Validate implements agent.Toolbox.
func (r *Registry) Validate(name, args string) (json.RawMessage, error) {
	found, ok := r.find(name)
	if !ok {
		return nil, agent.Errorf(agent.NotFound, "There is no tool named %q. The tools are: %s.", name, r.names())
	}
	return found.schema.Check(args)
}
