package present

import (
	"testing"
	"time"
)

func TestFormats(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ got, want string }{
		{Money(0), "$0.00"},
		{Money(420), "$0.0004"},
		{Money(9_999), "$0.0100"},
		{Money(10_000), "$0.01"},
		{Money(1_234_567), "$1.23"},
		{Seconds(-time.Second), "0 s"},
		{Seconds(412 * time.Millisecond), "0.4 s"},
		{Seconds(12_900 * time.Millisecond), "12 s"},
		{Seconds(102 * time.Second), "1:42"},
		{clockTime(3725 * time.Second), "1:02:05"},
	} {
		if row.got != row.want {
			t.Errorf("got %q, want %q", row.got, row.want)
		}
	}
}

func TestShortSpans(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{
		"1m0s": "1m", "24h0m0s": "24h", "1h30m0s": "1h30m", "2s": "2s", "1m30s": "1m30s", "10": "10", "from 10ms to 168h0m0s": "from 10ms to 168h", "10m0s": "10m",
	} {
		if got := ShortSpans(from); got != want {
			t.Errorf("%s: %s, want %s", from, got, want)
		}
	}
}
