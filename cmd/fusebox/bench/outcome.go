package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// outcome is what a client saw of a run.
type outcome struct {
	start, first, finish time.Time
	// words counts the words of the answer, tokens what the endpoint says of it.
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
		o.age(e.Delta, now)
	case "tool-call-result":
		o.results = append(o.results, now)
	case "run-paused":
		o.finish, o.status, o.reason = now, "paused", "it waits for a person"
	case "finish":
		o.finish, o.status, o.tokens = now, e.Status, e.Usage.OutputTokens
		o.reason = strings.TrimSpace(e.StopReason + " " + e.Message)
	}
}

// stampDigits is how long a time in microseconds is.
const stampDigits = 16

// age notes how old the times in a text are.
func (o *outcome) age(text string, now time.Time) {
	for _, word := range strings.Fields(text) {
		if at, err := strconv.ParseInt(word, 10, 64); err == nil && len(word) == stampDigits {
			o.late = append(o.late, milliseconds(now.Sub(time.UnixMicro(at))))
		}
	}
}

func (o *outcome) ended() bool { return !o.finish.IsZero() }

func (o *outcome) took() time.Duration { return o.finish.Sub(o.start) }

// steps counts the steps: one for each tool call, and the answer.
func (o *outcome) steps() int { return len(o.results) + 1 }

// err says why a run is no measurement.
func (o *outcome) err() error {
	if o.status == "finished" && !o.first.IsZero() {
		return nil
	}
	if o.status == "finished" {
		return errors.New("a run finished without an answer")
	}
	return fmt.Errorf("a run is %s: %s", o.status, o.reason)
}
