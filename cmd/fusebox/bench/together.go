package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

type asked struct{ model, content string }

// group is what came of several runs that were started together.
type group struct {
	outcomes []outcome
	took     time.Duration // from the first message to the last end
	cpu      time.Duration // of the server
}

// together opens conversations, and then asks all of them, one after the other within
// the spread.
func (b *bench) together(ctx context.Context, n int, a asked, spread time.Duration) (g group, err error) {
	open, err := b.client.openAll(ctx, a.model, n)
	if err != nil {
		return g, err
	}
	defer closeAll(open)
	before := b.cpu()
	start := time.Now()
	if g.outcomes, err = askAll(ctx, open, a.content, spread); err != nil {
		return g, err
	}
	g.took, g.cpu = time.Since(start), b.cpu()-before
	for _, o := range g.outcomes { // every delta of the built-in endpoint has to arrive
		if !b.given() && len(o.results) == 0 && o.words != o.tokens {
			return g, fmt.Errorf("%d of %d deltas arrived", o.words, o.tokens)
		}
	}
	return g, nil
}

func askAll(ctx context.Context, open []*conversation, content string, spread time.Duration) ([]outcome, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	outcomes := make([]outcome, len(open))
	var all sync.WaitGroup
	for i, c := range open {
		all.Go(func() {
			if !wait(ctx, spread*time.Duration(i)/time.Duration(len(open))) {
				return
			}
			var err error
			if outcomes[i], err = c.run(ctx, content); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	return outcomes, context.Cause(ctx)
}

// wait reports whether the time has passed before ctx ended.
func wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// cpu is the server's processor time so far, 0 where it cannot be known.
func (b *bench) cpu() time.Duration {
	t, err := cpuTime(b.server.cmd.Process.Pid)
	if err != nil {
		return 0
	}
	return t
}

// deltas counts the deltas of the built-in endpoint, which are words, or the tokens
// of a model.
func (b *bench) deltas(g group) (n int) {
	for _, o := range g.outcomes {
		if b.given() {
			n += o.tokens
		} else {
			n += o.words
		}
	}
	return n
}

// delta names the unit of deltas.
func (b *bench) delta() string {
	if b.given() {
		return "token"
	}
	return "delta"
}

// atOnce is the highest number of runs that streamed at the same time.
func (g group) atOnce() (most int) {
	var begun, ended []time.Time
	for _, o := range g.outcomes {
		begun, ended = append(begun, o.first), append(ended, o.finish)
	}
	slices.SortFunc(begun, time.Time.Compare)
	slices.SortFunc(ended, time.Time.Compare)
	over := 0
	for i, t := range begun {
		for ended[over].Before(t) {
			over++
		}
		most = max(most, i+1-over)
	}
	return most
}

// outcome is what a client saw of a run.
type outcome struct {
	start, first, finish time.Time
	// words counts the words of the answer; tokens is the count that the endpoint reports.
	words, tokens int
	// results are the times of tool results.
	results []time.Time
	// late is how old each delta was that carried the time at which it was sent.
	late samples

	status, reason string
}

// event is what is read of an event of the log.
type event struct {
	Type, Delta, Status, StopReason, Message string
	Usage                                    struct{ OutputTokens int }
}

// read takes a message of the websocket, which has an event a line.
func (o *outcome) read(frame []byte) error {
	now := time.Now()
	for line := range bytes.Lines(frame) {
		// Whole messages repeat what came before.
		if bytes.Contains(line, []byte(`"type":"message"`)) {
			continue
		}
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("decode an event: %w", err)
		}
		o.take(e, now)
	}
	return nil
}

func (o *outcome) take(e event, now time.Time) {
	switch e.Type {
	case "reasoning-delta", "text-delta":
		if o.first.IsZero() {
			o.first = now
		}
		o.words += strings.Count(e.Delta, " ")
		for _, word := range strings.Fields(e.Delta) {
			if at, err := strconv.ParseInt(word, 10, 64); err == nil && len(word) == stampDigits {
				o.late = append(o.late, milliseconds(now.Sub(time.UnixMicro(at))))
			}
		}
	case "tool-call-result":
		o.results = append(o.results, now)
	case "run-paused":
		o.finish, o.status, o.reason = now, "paused", "it waits for a person"
	case "finish":
		o.finish, o.status, o.tokens = now, e.Status, e.Usage.OutputTokens
		o.reason = strings.TrimSpace(e.StopReason + " " + e.Message)
	}
}

// stampDigits is the length of a time in microseconds.
const stampDigits = 16

// steps counts the steps: one for each tool call, and the answer.
func (o *outcome) steps() int { return len(o.results) + 1 }

func (o *outcome) err() error {
	if o.status == "finished" && !o.first.IsZero() {
		return nil
	}
	if o.status == "finished" {
		return errors.New("a run finished without an answer")
	}
	return fmt.Errorf("a run is %s: %s", o.status, o.reason)
}
