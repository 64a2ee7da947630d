package loop

import (
	"errors"
	"log/slog"
	"runtime/debug"

	"fusebox/agent"
)

// batch are calls that are executed at the same time. Each computes in a goroutine of its
// own and returns what came of it; the run's own goroutine takes them one after the other.
type batch struct {
	mailbox
	log     *slog.Logger
	ended   chan performed
	running int
	pure    int // so many of running only compute
}

// performed is what came of a call that was executed.
type performed struct {
	call agent.ToolCall
	pure bool
	res  agent.ToolResult
	// shown is output that is not written yet; err says why what came before was not.
	shown []agent.EventData
	err   error
	// cancelledBy is the person who cancelled the call, "" for nobody.
	cancelledBy string
	// asks is set where the call goes on, and its server waits for a person.
	asks *openQuestion
	live *liveCall
}

func newBatch(log *slog.Logger) *batch {
	return &batch{mailbox: mailbox{work: make(chan func()), left: make(chan struct{})}, log: log, ended: make(chan performed)}
}

// start has a claimed call performed. A panic ends that call alone.
func (b *batch) start(c agent.ToolCall, pure bool, perform func(o *performed)) {
	b.running++
	if pure {
		b.pure++
	}
	go func() {
		o := performed{call: c, pure: pure}
		func() {
			defer caught(b.log, c, &o.res)
			perform(&o)
		}()
		select {
		case b.ended <- o:
		case <-b.left:
		}
	}()
}

// next does what calls ask of their run until one of them has ended, and returns that one.
func (b *batch) next() performed {
	for {
		select {
		case ask := <-b.work:
			ask()
		case o := <-b.ended:
			b.running--
			if o.pure {
				b.pure--
			}
			return o
		}
	}
}

// holds reports whether a result may wait for the next commit: nothing that takes long
// comes before that, only the run's next move, or calls that only compute.
func (b *batch) holds(o performed) bool {
	return b.running == 0 || o.pure && b.pure > 0
}

// caught makes a panic the result of its call. It is to be deferred.
func caught(log *slog.Logger, c agent.ToolCall, res *agent.ToolResult) {
	if p := recover(); p != nil {
		log.Error("a tool call panicked", "run_id", c.RunID, "conversation_id", c.ConversationID, "tool", c.Name, "panic", p, "stack", string(debug.Stack()))
		*res = agent.ToolResult{ErrorType: agent.ErrUnhandledPanic, Content: "The call failed with an internal error. It has been logged; another call may fail too."}
	}
}

// mailbox is how the goroutines of calls reach the run's own one: rows have one owner,
// which alone stages and commits. It is served while calls are executed.
type mailbox struct {
	work chan func()
	left chan struct{} // closed once nobody serves any more
}

// errLeft is what a call hears that asks something of a run that has gone on without it.
var errLeft = errors.New("the run does not wait for this call any more")

// do has the run's own goroutine do something, and waits for it.
func (m mailbox) do(f func() error) error {
	done := make(chan error, 1)
	select {
	case m.work <- func() { done <- f() }:
	case <-m.left:
		return errLeft
	}
	select {
	case err := <-done:
		return err
	case <-m.left: // f panicked
		return errLeft
	}
}
