package wire

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Failure is one failed try: enough to decide whether to try again, and to
// tell a person and the log what happened.
type Failure struct {
	Status    int
	Retryable bool
	After     time.Duration // how long the endpoint asks to wait, 0 if it does not
	Said      string        // continues "The model server …"
	text      string        // the provider's own words, "" if there are none
	TooLong   bool          // the prompt does not fit
	API       APIError
	Err       error
	// part is what came of an answer that cannot be read: it is paid for.
	Part string
}

func (f *Failure) Error() string {
	s := f.Said
	if f.Status > 0 {
		s = fmt.Sprintf("status %d: %s", f.Status, s)
	}
	if f.text != "" {
		s += ": " + f.text
	}
	if f.Err != nil {
		s += ": " + f.Err.Error()
	}
	return s
}

func (f *Failure) Unwrap() error { return f.Err }

// Sentence is what a person reads of the failure.
func (f *Failure) Sentence() string {
	s := "The model server " + f.Said
	if f.Status > 0 {
		s += fmt.Sprintf(" (%d)", f.Status)
	}
	if f.text != "" {
		return s + ": " + f.text
	}
	return s + "."
}

var statusWords = map[int]string{
	http.StatusBadRequest:            "rejected the request",
	http.StatusUnauthorized:          "rejected the API key",
	http.StatusPaymentRequired:       "requires payment",
	http.StatusForbidden:             "does not allow this",
	http.StatusNotFound:              "does not know this address or model",
	http.StatusMethodNotAllowed:      "does not answer at this address",
	http.StatusRequestEntityTooLarge: "rejected the request as too large",
	http.StatusTooManyRequests:       "received too many requests",
	http.StatusNotImplemented:        "does not support this",
}

func statusFailure(status int, body []byte) *Failure {
	e := parseError(body)
	f := &Failure{Status: status, Said: cmp.Or(statusWords[status], "returned an error"), text: e.Text, API: e}
	switch status { // retryable is whatever may be different in a moment
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		f.Retryable = true
	default:
		f.Retryable = status >= 500 && status != http.StatusNotImplemented
	}
	switch {
	case e.outOfCredit(status):
		f.Retryable, f.Said = false, "has no credit left for this key"
	case status == http.StatusRequestEntityTooLarge, status < 500 && status != http.StatusTooManyRequests && e.tooLong():
		f.Retryable, f.TooLong, f.Said = false, true, "rejected the conversation as too long"
	}
	return f
}

// bodyFailure classifies an error that came with a good status or inside a
// stream as its twin with the right status would be.
func bodyFailure(body []byte) *Failure {
	e := parseError(body)
	status := e.status
	for _, c := range e.Codes {
		status = cmp.Or(status, codeStatus[c])
	}
	if status > 0 {
		return statusFailure(status, body)
	}
	if e.outOfCredit(0) {
		return statusFailure(http.StatusPaymentRequired, body)
	}
	f := &Failure{Said: "reported an error", text: e.Text, Retryable: true, API: e}
	if e.tooLong() {
		f.Retryable, f.TooLong, f.Said = false, true, "rejected the conversation as too long"
	}
	if e.Text == "" {
		f.Err = errors.New(excerpt(body))
	}
	return f
}

// ReadFailure classifies an answer that broke off.
func ReadFailure(err error) *Failure {
	var f *Failure
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, errTooLong):
		return &Failure{Said: "sent more than an answer may hold", Err: err}
	case errors.Is(err, errNothing):
		return EmptyAnswer(err)
	default:
		return &Failure{Retryable: true, Said: "cut the answer off", Err: err}
	}
}

// EmptyAnswer is what some gateways send when they mean try again.
func EmptyAnswer(cause error) *Failure {
	return &Failure{Retryable: true, Said: "sent an empty answer", Err: cause}
}

// Busy reports whether the endpoint has too much to do, so that other calls had better
// wait, too.
func (f *Failure) Busy() bool {
	return f.Retryable && (f.Status == http.StatusTooManyRequests || f.Status == http.StatusServiceUnavailable && f.After > 0)
}

// Names reports whether the provider's own words name a model.
func (f *Failure) Names(model string) bool {
	return slices.ContainsFunc(strings.Fields(f.text), func(word string) bool { return strings.Trim(word, "\"'`()[]{},.:;") == model })
}

const maxErrorBody = 64 << 10

// Refusal classifies an answer that is an error by its status, and reads how
// long it asks to wait.
func Refusal(res *http.Response, now time.Time) *Failure {
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBody)) // half a text is better than none
	f := statusFailure(res.StatusCode, body)
	f.After = retryAfter(res.Header, now)
	return f
}

// retryAfter reads how long an answer asks to wait; 0 when it does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if d, ok := number(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d
	}
	value := h.Get("Retry-After")
	if d, ok := number(value, time.Second); ok {
		return d
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// maxAsked keeps absurd numbers from overflowing; no caller waits for so long anyway.
const maxAsked = 365 * 24 * time.Hour

func number(value string, unit time.Duration) (time.Duration, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || !(f >= 0) { // NaN too
		return 0, false
	}
	return time.Duration(min(f*float64(unit), float64(maxAsked))), true
}
