package wire

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

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
