package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"fusebox/agent"
	"fusebox/agent/provider/answer"
	"fusebox/agent/provider/wire"
)

// RetryConfig says how often and how patiently a failed model call is tried
// again. The wait before the n-th retry is min(Cap, Base·2^(n−1)) ± 25 %, and
// never shorter than what the endpoint asks for.
type RetryConfig struct {
	Max  int // retries after the first try; 0 means none
	Base time.Duration
	Cap  time.Duration
	// Fallbacks is how often an answer whose tool calls broke off is asked for in
	// one piece, ContinuePrompt what is said from the second of them on.
	Fallbacks      int
	ContinuePrompt string
}

// DefaultContinuePrompt asks for an answer whose tool calls broke off.
const DefaultContinuePrompt = "Please continue the tool calls and give the final answer."

// The defaults of RetryConfig's durations, and the longest wait that an
// endpoint may ask for: what is longer ends the call with a sentence that says
// when to come back.
const (
	defaultBase = 500 * time.Millisecond
	defaultCap  = 30 * time.Second
	longestWait = 2 * time.Minute
	jitter      = 0.25

	defaultFallbacks = 3
)

func (c RetryConfig) withDefaults() RetryConfig {
	if c.Base <= 0 {
		c.Base = defaultBase
	}
	if c.Cap <= 0 {
		c.Cap = defaultCap
	}
	if c.Fallbacks <= 0 {
		c.Fallbacks = defaultFallbacks
	}
	c.ContinuePrompt = cmp.Or(c.ContinuePrompt, DefaultContinuePrompt)
	c.Max = max(c.Max, 0)
	return c
}

// wait is the pause before the n-th retry, n from 1; random is in [0, 1).
func (c RetryConfig) wait(n int, asked time.Duration, random float64) time.Duration {
	d := c.Cap
	if shift := n - 1; shift < 32 && c.Base<<shift>>shift == c.Base { // else it overflows
		d = min(c.Cap, c.Base<<shift)
	}
	d += time.Duration(float64(d) * jitter * (2*random - 1))
	return max(d, asked)
}

// gap is what lies between the starts of two tries that have waited for the same endpoint.
func (c RetryConfig) gap(random float64) time.Duration {
	return time.Duration(float64(c.Base) / 4 * (1 + jitter*(2*random-1)))
}

// retry tells the watcher of the wait and waits; it leaves to await what all wait for. told
// is when the wait is over. An error of it is the sink's or the caller's cancellation;
// nil means: try again.
func (p *Provider) retry(ctx context.Context, n int, d time.Duration, f *wire.Failure, acc *answer.Accumulator) (told time.Time, err error) {
	told = p.clock.Now().Add(d)
	if err := acc.Send(agent.Delta{Kind: agent.DeltaRetry, Retry: agent.RetryEvent{
		Attempt: n, MaxAttempts: p.retries.Max, DelayMS: d.Milliseconds(), Status: f.Status,
		Message: f.Sentence(),
	}}); err != nil {
		return told, err
	}
	p.log.WarnContext(ctx, "model call failed, trying again", "attempt", n, "max_attempts", p.retries.Max,
		"delay_ms", d.Milliseconds(), "status", f.Status, "error", f.Error())
	if !f.Busy() {
		if err := p.waiting(ctx)(d); err != nil {
			return told, err
		}
	}
	return told, acc.Reset()
}

// waiting waits for a time, or returns the cause of a cancelled context.
func (p *Provider) waiting(ctx context.Context) func(time.Duration) error {
	return func(d time.Duration) error {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-p.clock.After(d):
			return nil
		}
	}
}

// giveUp turns the last failure into the error of the call.
func (p *Provider) giveUp(f *wire.Failure, tries int) *agent.ProviderError {
	message := strings.TrimSpace(f.Sentence())
	if last, _ := utf8.DecodeLastRuneInString(message); !strings.ContainsRune(".!?。!?…", last) {
		message += "."
	}
	switch {
	case f.Retryable && f.After > longestWait:
		at := p.clock.Now().Add(f.After).UTC()
		message = fmt.Sprintf("%s Try again after %s UTC.", message, at.Format("2006-01-02 15:04:05"))
	case f.Retryable && tries > 1:
		message = fmt.Sprintf("%s Gave up after %d attempts.", message, tries)
	}
	return &agent.ProviderError{
		Status: f.Status, Message: message, Retryable: f.Retryable, TooLong: f.TooLong, Attempts: tries,
		Err: f,
	}
}

// brokenStreams is how many streams of one call may break off inside a tool
// call: some proxies can't stream these at all.
const brokenStreams = 2

var (
	errBrokenChain = errors.New("a tool call was announced and not finished")
	errBrokenCall  = errors.New("the stream broke off inside a tool call")
)

// retryBrokenCalls asks once more for an answer with a broken-off tool call: without
// streaming, and then with a word about it. shown is the broken answer as the
// watcher has it; it gives way once there is a whole one. why is errBrokenCall
// where it was the streams that broke off, and not the answer.
func (p *Provider) retryBrokenCalls(ctx context.Context, q question, shown *answer.Accumulator, why error) (*answer.Accumulator, error) {
	p.bill(q, shown)
	q.as, q.cutAt = inOnePiece, shown.CutAt()
	for n := 1; n <= p.retries.Fallbacks; n++ {
		p.log.WarnContext(ctx, "a tool call broke off, asking without streaming", "attempt", n)
		if err := allow(ctx, &q.req, p.idOf(q.req.Model), shown.Bill.Spent); err != nil {
			return shown, err
		}
		err := shown.Send(agent.Delta{Kind: agent.DeltaFallback, Fallback: agent.FallbackEvent{Reason: "incomplete-tool-chain", Attempt: n}})
		if err != nil {
			return shown, err
		}
		if n == 2 {
			q.history = append(slices.Clip(q.history), agent.Message{Role: agent.FromUser, Content: p.retries.ContinuePrompt})
		}
		next := shown.Substitute()
		err = p.persist(ctx, q, next)
		if err == nil && next.Unfinished() == 0 {
			if why != nil && n == 1 {
				p.learn(q.req.Model, noStreamWithTools)
			}
			return next, shown.GiveWayTo(next)
		}
		p.bill(q, next)
		shown.Bill = next.Bill
		if err != nil && !errors.Is(err, errBrokenCall) {
			return shown, err
		}
	}
	f := &wire.Failure{Said: "broke its tool calls off", Retryable: true, Err: errBrokenChain}
	return shown, p.giveUp(f, p.retries.Fallbacks+1)
}
