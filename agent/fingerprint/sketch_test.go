package fingerprint

import (
	"strings"
	"testing"
)

// TestLikeness: calls of which little is changed have most of their pairs of words in common.
func TestLikeness(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("one two three four five six seven eight nine ten eleven twelve ", 4)
	for name, tc := range map[string]struct {
		a, b          string
		least, atMost int
	}{
		"the same":           {`{"a":"x y z"}`, `{"a":"x y z"}`, 100, 100},
		"white space":        {`{"a":"x y z"}`, `{"a": "x  y z"}`, 100, 100},
		"nothing":            {"", "", 100, 100},
		"something":          {"", "a b", 0, 0},
		"another word":       {`{"command":"go test ./agent -run X -v"}`, `{"command":"go test ./agent -run Y -v"}`, 60, 95},
		"another command":    {`{"command":"make all"}`, `{"command":"python3 setup.py build --verbose"}`, 0, 55},
		"chinese":            {"检查 日志 文件", "检查 日志 目录", 20, 60},
		"a word of a long":   {long + "end", long + "END", 80, 99},
		"two long ones":      {words200("a"), words200("b"), 0, 5},
		"half of a long one": {words200("a") + words200("b"), words200("a") + words200("c"), 15, 55},
	} {
		got := Likeness(Sketch(tc.a), Sketch(tc.b))
		if got < tc.least || got > tc.atMost || got != Likeness(Sketch(tc.b), Sketch(tc.a)) {
			t.Errorf("%s: %d, want %d to %d", name, got, tc.least, tc.atMost)
		}
	}
	if n := len(Sketch(words200("a"))); n != 4*maxSketch {
		t.Errorf("a long sketch has %d bytes", n)
	}
}

func words200(prefix string) string {
	var b strings.Builder
	for i := range 200 {
		b.WriteString(prefix + strings.Repeat("i", i%20) + strings.Repeat("o", i/20) + " ")
	}
	return b.String()
}
