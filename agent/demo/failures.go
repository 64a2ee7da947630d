package demo

import (
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
)

type refusal struct {
	status              int
	kind, code, message string
	// times counts the refusals before a request is answered; 0 refuses it always.
	times int
}

// refusing is answered only after some refusals.
func refusing(t turn) answer {
	a := say(t.in(
		"Here is the answer, after three refusals that you should have seen as three waits.",
		"这是答案。在此之前我拒绝了三次，您应该看到了三次等待。"))
	a.refused = &refusal{http.StatusTooManyRequests, "rate_limit_error", "rate_limit_exceeded", "Rate limit reached for the demo model. Please try again.", refusedTimes}
	return a
}

// refusedTimes counts the refusals of the retry test before its answer.
const refusedTimes = 3

// locked is never answered, and trying again does not help.
func locked(turn) answer {
	return answer{refused: &refusal{
		status: http.StatusForbidden, kind: "permission_error", code: "access_denied", message: "The demo model is locked for this test.",
	}}
}

func tooLong() answer {
	return answer{refused: &refusal{
		status: http.StatusBadRequest, kind: "invalid_request_error", code: "context_length_exceeded",
		message: "This model's maximum context length is smaller than your messages. Please reduce the length of the messages.",
	}}
}

// maxRemembered bounds how many requests a refuser counts at a time.
const maxRemembered = 1024

// refuser counts how often each request was refused. A request is known by its
// body: a client that tries again sends the same one, and a person who asks
// again sends a longer history.
type refuser struct {
	mu    sync.Mutex
	count map[[sha256.Size]byte]int
}

// refuse reports whether the request is to be refused once more. After the
// last refusal the request is forgotten, so the same one starts again.
func (r *refuser) refuse(body []byte, times int) bool {
	if times == 0 {
		return true
	}
	key := sha256.Sum256(body)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count == nil || len(r.count) >= maxRemembered {
		r.count = make(map[[sha256.Size]byte]int)
	}
	if r.count[key] >= times {
		delete(r.count, key)
		return false
	}
	r.count[key]++
	return true
}

// breaking breaks off its tool call in the middle of a stream. Asked in one
// piece it makes the whole call, and then answers.
func breaking(t turn) answer {
	if s, done := t.last(); done {
		return say(sentences(t, s))
	}
	if !t.may("calculator") {
		return without(t, "calculator")
	}
	a := use(calculate("6*7"))
	a.text, a.breaks = t.in("I calculate that. ", "我来算一下。"), true
	return a
}

// How a run that has reached a limit asks for what there is, and for its outputs.
const handInPrefix = "[System reminder] This run has reached its limit"

var outputsToHandIn = pattern(`as one JSON object with these names: (.+)\.$`)

// handingIn says what was done when a limit ends the run, with what there is of the outputs
// that it asks for.
func handingIn(t turn) (answer, bool) {
	_, asked, limited := strings.Cut(t.reminder, handInPrefix)
	if !limited {
		return answer{}, false
	}
	text := t.in("I stop here, because the limit is reached. ", "已达到上限，我就到这里为止。")
	if _, did := t.last(); did {
		text += summary(t)
	} else {
		text += t.in("I have made no tool calls.", "我还没有调用过工具。")
	}
	if outputs := outputsToHandIn().FindStringSubmatch(asked); outputs != nil {
		values := map[string]any{}
		for name, kind := range declaredOutputs(outputs[1]) {
			values[name] = sampleValues[kind]
		}
		raw, err := json.MarshalIndent(values, "", "  ")
		if err == nil {
			text += "\n\n```json\n" + string(raw) + "\n```"
		}
	}
	return say(text), true
}
