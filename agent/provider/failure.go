package provider

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// failure is one failed try: enough to decide whether to try again, and to
// tell a person and the log what happened.
type failure struct {
	status    int
	retryable bool
	after     time.Duration // how long the endpoint asks to wait, 0 if it does not
	said      string        // continues "The model's endpoint …"
	text      string        // the provider's own words, "" if there are none
	tooLong   bool          // the prompt does not fit
	api       apiError
	err       error
	// part is what came of an answer that cannot be read: it is paid for.
	part string
}

func (f *failure) Error() string {
	s := f.said
	if f.status > 0 {
		s = fmt.Sprintf("status %d: %s", f.status, s)
	}
	if f.text != "" {
		s += ": " + f.text
	}
	if f.err != nil {
		s += ": " + f.err.Error()
	}
	return s
}

func (f *failure) Unwrap() error { return f.err }

// sentence is what a person reads of the failure.
func (f *failure) sentence() string {
	s := "The model's endpoint " + f.said
	if f.status > 0 {
		s += fmt.Sprintf(" (%d)", f.status)
	}
	if f.text != "" {
		return s + ": " + f.text
	}
	return s + "."
}

// retryableStatus follows what endpoints mean in practice: whatever may be
// different in a moment.
func retryableStatus(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return status >= 500 && status != http.StatusNotImplemented
}

var statusWords = map[int]string{
	http.StatusBadRequest:            "did not accept the request",
	http.StatusUnauthorized:          "does not accept the key",
	http.StatusPaymentRequired:       "wants to be paid first",
	http.StatusForbidden:             "does not allow this",
	http.StatusNotFound:              "does not know this address or model",
	http.StatusMethodNotAllowed:      "does not answer at this address",
	http.StatusRequestEntityTooLarge: "finds the request too large",
	http.StatusTooManyRequests:       "gets too many requests",
	http.StatusNotImplemented:        "cannot do this",
}

func statusSaid(status int) string {
	if w, ok := statusWords[status]; ok {
		return w
	}
	if status >= 500 {
		return "has a problem of its own"
	}
	return "answered with an error"
}

// statusFailure classifies an answer by its status and body.
func statusFailure(status int, body []byte) *failure {
	e := parseError(body)
	f := &failure{status: status, said: statusSaid(status), text: e.text, retryable: retryableStatus(status), api: e}
	switch {
	case e.billing():
		f.retryable, f.said = false, "has no credit left for this key"
	case status == http.StatusRequestEntityTooLarge, status < 500 && status != http.StatusTooManyRequests && e.tooLong():
		f.retryable, f.tooLong, f.said = false, true, "finds the conversation too long"
	}
	return f
}

// bodyFailure classifies an error that came with a good status or inside a
// stream as its twin with the right status would be.
func bodyFailure(body []byte) *failure {
	e := parseError(body)
	if status := e.statusHint(); status > 0 {
		return statusFailure(status, body)
	}
	f := &failure{said: "reported an error", text: e.text, retryable: true, api: e}
	if e.tooLong() {
		f.retryable, f.tooLong, f.said = false, true, "finds the conversation too long"
	}
	if e.text == "" {
		f.err = errors.New(excerpt(body))
	}
	return f
}

// readFailure classifies an answer that broke off.
func readFailure(err error) *failure {
	var f *failure
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, errTooLong):
		return &failure{said: "sent more than an answer may hold", err: err}
	case errors.Is(err, errNothing):
		return emptyAnswer(err)
	default:
		return &failure{retryable: true, said: "broke the answer off", err: err}
	}
}

// emptyAnswer is what some gateways send when they mean try again.
func emptyAnswer(cause error) *failure {
	return &failure{retryable: true, said: "sent an empty answer", err: cause}
}
