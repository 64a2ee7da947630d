package web

import (
	"testing"
	"time"
)

func TestFormats(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ got, want string }{
		{money(0), "$0.00"},
		{money(420), "$0.0004"},
		{money(9_999), "$0.0100"},
		{money(10_000), "$0.01"},
		{money(1_234_567), "$1.23"},
		{tokens(0), "0"},
		{tokens(999), "999"},
		{tokens(1000), "1k"},
		{tokens(41_230), "41.2k"},
		{tokens(999_949), "999.9k"},
		{tokens(999_950), "1M"},
		{tokens(1_300_000), "1.3M"},
		{seconds(-time.Second), "0 s"},
		{seconds(412 * time.Millisecond), "0.4 s"},
		{seconds(12_900 * time.Millisecond), "12 s"},
		{seconds(102 * time.Second), "1:42"},
		{clockTime(3725 * time.Second), "1:02:05"},
	} {
		if row.got != row.want {
			t.Errorf("got %q, want %q", row.got, row.want)
		}
	}
}
