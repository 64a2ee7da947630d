package guards

import (
	"fmt"
	"slices"

	"fusebox/agent"
)

// nothingNew catches a run that goes over what it knows in any order: calls in a row
// of which each was made before in the run and returned what it returned then. Any
// new call and any new result ends the row. It leaves alone polling tools, and rows in
// a strict order, which noProgress, pingPong and cycle judge. The numbers,
// guard.nothing_new_warning and guard.nothing_new_critical, were measured on recorded
// runs.
type nothingNew struct{ warn, pause int }

func (nothingNew) Name() string { return "nothing_new" }

func (g nothingNew) Check(h *agent.History) agent.Verdict {
	if h.Next == nil || h.Next.Polling || h.SameInRun < 2 {
		return agent.Verdict{}
	}
	row := known(h)
	count := len(row) + 1
	warn, pause := moved(h, g.warn, g.pause)
	lvl, threshold := level(count, warn, pause)
	if lvl == agent.Pass || ordered(h, count) {
		return agent.Verdict{}
	}
	return agent.Verdict{
		Level: lvl, Detector: g.Name(), Key: fmt.Sprintf("from:%d", row[0]), Count: count, Threshold: threshold,
		Message: fmt.Sprintf("The last %d calls were all made before, with the same results.", count),
		Calls:   append(row, h.Next.N), Reason: agent.StopLoop,
	}
}

// known lists the newest calls that told nothing new, oldest first, polling aside.
func known(h *agent.History) (row []int) {
	for i := len(h.Calls) - 1; i >= 0; i-- {
		c := &h.Calls[i]
		if !c.Repeats && !c.Polling && !c.Blocked {
			break
		}
		if !c.Polling {
			row = append(row, c.N)
		}
	}
	slices.Reverse(row)
	return row
}

// ordered reports whether the newest n calls, Next included, are in the strict order of a
// cycle: each is the one a period before it, either as far as the n go, or beyond them.
func ordered(h *agent.History, n int) bool {
	for period := 1; period <= maxPeriod; period++ {
		same := 0
		for same < n && same+period <= len(h.Calls) && fromEnd(h, same).Same(fromEnd(h, same+period)) {
			same++
		}
		if same == n || n >= 2*period && same >= n-period {
			return true
		}
	}
	return false
}

// fromEnd is the i-th call from the end, 0 for Next.
func fromEnd(h *agent.History, i int) *agent.CallRecord {
	if i == 0 {
		return h.Next
	}
	return &h.Calls[len(h.Calls)-i]
}
