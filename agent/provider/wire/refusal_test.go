package wire

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfterIsRead(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		header, value string
		want          time.Duration
	}{
		{"Retry-After", "3", 3 * time.Second},
		{"Retry-After", "1.5", 1500 * time.Millisecond},
		{"Retry-After", now.Add(90 * time.Second).Format(http.TimeFormat), 90 * time.Second},
		{"Retry-After", now.Add(-time.Hour).Format(http.TimeFormat), 0},
		{"Retry-After", "soon", 0},
		{"Retry-After", "-5", 0},
		{"Retry-After", "NaN", 0},
		{"Retry-After", "1e300", maxAsked},
		{"Retry-After-Ms", "250", 250 * time.Millisecond},
		{"X-Other", "3", 0},
	} {
		h := http.Header{}
		h.Set(row.header, row.value)
		if got := retryAfter(h, now); got != row.want {
			t.Errorf("%s: %s = %v, want %v", row.header, row.value, got, row.want)
		}
	}
}
