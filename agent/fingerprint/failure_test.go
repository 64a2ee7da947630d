package fingerprint

import (
	"strings"
	"testing"
)

func TestErrorLine(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want string }{
		"one line":             {"no such file", "no such file"},
		"nothing":              {" \n\n", ""},
		"the exit code is not": {"make: *** [all] stopped\nexit code 2", "make: *** [all] stopped"},
		"an exit code alone":   {"exit code 1", ""},
		"the last exception":   {"Traceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: 'a'\nDuring handling:\nValueError: bad value\nexit code 1", "ValueError: bad value"},
		"the first of a checker's": {
			"Your change has errors.\n\nERRORS:\n- E999 unexpected indent\n- F821 undefined name\n\nThis is how it would look:\n  raise ValueError('x')", "- E999 unexpected indent",
		},
		"a word for a failure":       {"Reading lists...\nE: Unable to locate the package\nDone.", "E: Unable to locate the package"},
		"none of these":              {"first\n  second  line \n", "second line"},
		"the middle is not searched": {strings.Repeat("x\n", maxErrorText) + "TypeError: in the middle\n" + strings.Repeat("y\n", maxErrorText), "y"},
	} {
		if got := ErrorLine(tc.text); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
	if got := []rune(ErrorLine(strings.Repeat("é", 1000))); len(got) != maxErrorLine+1 {
		t.Errorf("a long line has %d characters", len(got))
	}
}

func TestSameError(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		a, argsA, b, argsB string
		same               bool
	}{
		"paths and numbers":          {"/a/b.go:7:2: no such line", `{}`, "/c/d/e.go:19:11: no such line", `{}`, true},
		"what it quotes":             {"A is not there", `{"path":"A"}`, "B is not there", `{"path":"B"}`, true},
		"only part of a word":        {"cat is not there", `{"path":"a"}`, "cut is not there", `{"path":"u"}`, false},
		"names":                      {"unknown column 'a'", `{"query":"select a"}`, "unknown column 'b'", `{"query":"select b"}`, false},
		"arguments that aren't JSON": {"denied", "{", "denied", `["x"]`, true},
		"an empty line":              {"", `{}`, "x", `{}`, false},
	} {
		if got := Error(tc.a, tc.argsA) == Error(tc.b, tc.argsB); got != tc.same {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestInk(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		a, b string
		same bool
	}{
		"indentation":   {`{"text":"if x:\n  y"}`, `{"text": "if x:\n\ty\n"}`, true},
		"deeper":        {`{"list":[{"a":"b c"}]}`, `{"list":[{"a":"bc"}]}`, true},
		"a letter":      {`{"text":"ab"}`, `{"text":"aB"}`, false},
		"a number":      {`{"n":1}`, `{"n":2}`, false},
		"no JSON":       {`{ "a`, `{"a`, true},
		"another field": {`{"a":"x"}`, `{"b":"x"}`, false},
	} {
		if got := Ink(tc.a) == Ink(tc.b); got != tc.same {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestOrderOfLines: a result whose lines come in another order is the same.
func TestOrderOfLines(t *testing.T) {
	t.Parallel()
	if Result("a\nb\nc\n", nil) != Result("c\na\nb", nil) {
		t.Error("the same lines differ")
	}
	for _, other := range []string{"a\nb\nb\nc", "a\nb", "ab\nc", "a b c"} {
		if Result("a\nb\nc", nil) == Result(other, nil) {
			t.Errorf("%q is the same as a, b, c", other)
		}
	}
}

// BenchmarkFailure is what the record of a failed call costs: 16 KB of a compiler's words.
func BenchmarkFailure(b *testing.B) {
	text := strings.Repeat("internal/app/main.go:12:5: note: this is a line of what a build prints\n", 230) + "exit code 2"
	const args = `{"command":"go build ./..."}`
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Error(ErrorLine(text), args)
	}
}
