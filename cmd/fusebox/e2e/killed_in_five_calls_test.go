package e2e

import (
	"fmt"
	"testing"
	"time"

	"fusebox/agent/agenttest"
)

// fiveCalls are the calls about a job of a model that makes five at once: first those that
// only compute, then both kinds, then those that have effects.
func fiveCalls(job string, turn int) []asked {
	emits := func(name string) asked {
		return asked{"emit_value", fmt.Sprintf(`{"name":%q,"value":%q}`, name, job+" "+name)}
	}
	computes := func(n int) asked { return asked{"calculator", fmt.Sprintf(`{"expression":"%d*7"}`, n)} }
	echoes := func(effect string) asked { return sh("echo " + job + effect + " >> effects") }
	switch turn {
	case 0:
		return []asked{computes(6), {"update_plan", `{"plan":[{"step":"look","status":"pending"}]}`}, emits("first"), computes(7), emits("second")}
	case 1:
		return []asked{emits("third"), echoes("~s1"), computes(8), writesFile(job), {"list_files", `{}`}}
	case 2:
		return []asked{notes("mad__note", job+"~m1"), edits(job), echoes("~s2"), notes("ticket_note", job+"~t1"), echoes("~s3")}
	default:
		return nil
	}
}

// TestKilledInFiveCalls is TestKilledAtAnyMoment for answers of five calls: each has one
// result, its effect happened once, and a run has every value that was delivered.
// FUSEBOX_FIVE_CALLS_KILL_ROUNDS is how often the server is killed.
func TestKilledInFiveCalls(t *testing.T) {
	t.Parallel()
	kills := agenttest.FewOrMany(t, "FUSEBOX_FIVE_CALLS_KILL_ROUNDS", 2, 200)
	o := startOutages(t, work{
		calls: fiveCalls, life: time.Second, people: []string{"admin"}, courses: []course{letsRun, runsAgain, letsRun, stops},
		outputs: []string{"first", "second", "third"}, outside: true,
	})
	o.run(kills)
}
