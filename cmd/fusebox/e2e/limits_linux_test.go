package e2e

import (
	"encoding/json"
	"fmt"
	"regexp"
	"testing"
)

// TestLimitsAreSettings: each limit of commands has a setting, and who asked for a command
// reads which one has ended it.
func TestLimitsAreSettings(t *testing.T) {
	t.Parallel()
	p := startProgram(t, t.TempDir(),
		"FUSEBOX_SANDBOX_MAX_MEMORY=402653184", "FUSEBOX_SANDBOX_MAX_PROCESSES=48", "FUSEBOX_SANDBOX_MAX_FILE=1048576",
		"FUSEBOX_SANDBOX_MAX_WORKSPACE=2097152", "FUSEBOX_SANDBOX_MAX_TEMP=1048576", "FUSEBOX_SANDBOX_MAX_CPU=1s",
	)
	if p.logged(`walls around commands" standing="?\[(.*?)\]`) == "" {
		t.Skip("this machine has no walls")
	}
	a := p.admin()
	for _, tc := range []struct{ setting, line, want string }{
		{"memory", `for i in 1 2; do perl -e '$n = 200 << 20; $x = "x" x $n; sleep 1000' & done; wait`, "used more than 384 MB of memory"},
		{"processes", `i=0; while [ $i -lt 100 ]; do sleep 1000 & i=$((i+1)); done; wait`, `Cannot fork|more than 48 processes`},
		{"file", `head -c 1500000 /dev/zero > f`, "wrote more than 1 MB to a file"},
		{"workspace", `for i in 1 2 3; do head -c 1000000 /dev/zero > f$i; done; sleep 1000`, "the workspace holds more than 2 MB"},
		{"temp", `for i in 1 2; do head -c 700000 /dev/zero > ${TMPDIR:-/tmp}/f$i || exit 1; done; sleep 1000`, `No space left|temporary files holds more than 1 MB`},
		{"cpu", `while :; do :; done`, "used more than 1s of processor time"},
		{"none", `echo within all limits`, "within all limits"},
	} {
		t.Run(tc.setting, func(t *testing.T) {
			t.Parallel()
			a := a
			a.t = t
			conversation, run := a.ask("test approval")
			a.rests(run)
			args, err := json.Marshal(map[string]string{"command": tc.line})
			if err != nil {
				t.Fatal(err)
			}
			a.decide(run, fmt.Sprintf(`{"decision":"edit","args":%s}`, args))
			a.rests(run)
			_, said := a.call("GET", "/api/v1/conversations/"+conversation+"/messages", "")
			if !regexp.MustCompile(tc.want).Match(said) {
				t.Errorf("the result does not say %q: %s", tc.want, said)
			}
		})
	}
}
