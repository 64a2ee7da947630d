package agenttest

import (
	"flag"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"
)

// asked is the environment variable that says how much is tested: "full" is
// everything, "walks" adds a few tests that cost more, and without it the rest runs.
const asked = "FUSEBOX_TEST"

// Full reports whether everything is asked for.
func Full() bool { return os.Getenv(asked) == "full" }

// Part is n where everything is asked for, else a tenth of it, at least one.
func Part(n int) int {
	if Full() {
		return n
	}
	return max(1, n/10)
}

// NeedsFull skips a test where not everything is asked for. It says why it is not
// among the rest: "it needs a proxy".
func NeedsFull(t testing.TB, why string) {
	t.Helper()
	if !Full() {
		t.Skipf("skipped: %s; %s=full asks for it", why, asked)
	}
}

// NeedsWalk is NeedsFull for one of many: those that are listed run with "walks" too.
func NeedsWalk(t testing.TB, walks []string, why string) {
	t.Helper()
	if os.Getenv(asked) != "walks" || !slices.Contains(walks, t.Name()) {
		NeedsFull(t, why)
	}
}

// parallelTests is how many tests run at a time for each processor: most wait for
// a disk, a clock, or another process.
const parallelTests = 3

// Prepare is called by a TestMain before its tests run. Unless the caller of the
// tests has chosen otherwise, more run at a time, and garbage is collected less often,
// here and in the processes that tests start.
func Prepare() {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		n, err := strconv.Atoi(f.DefValue)
		if err == nil {
			err = f.Value.Set(strconv.Itoa(parallelTests * n))
		}
		if err != nil {
			panic(err)
		}
	}
	if os.Getenv("GOGC") == "" {
		const percent = 400
		debug.SetGCPercent(percent)
		if err := os.Setenv("GOGC", strconv.Itoa(percent)); err != nil {
			panic(err)
		}
	}
}

// Rounds is how often a test does something: the number in an environment variable,
// else the usual one, or the part of it that is asked for.
func Rounds(t testing.TB, variable string, usual int) int {
	t.Helper()
	return FewOrMany(t, variable, Part(usual), usual)
}

// FewOrMany is Rounds for what is costly: many where everything is asked for, else few.
func FewOrMany(t testing.TB, variable string, few, many int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" && Full() {
		return many
	}
	if text == "" {
		return few
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q: want a number of at least 1", variable, text)
	}
	return n
}
