package guards

import (
	"fmt"

	"fusebox/agent"
)

// nothingNew catches a run that goes over what it knows in any order: calls in a row
// of which each was made before in the run and returned what it returned then. Any
// new call and any new result ends the row. It leaves alone polling tools, and a row
// of one call alone, which noProgress judges. The numbers, guard.nothing_new_warning
// and guard.nothing_new_critical, were measured on recorded runs.
type nothingNew struct{ warn, pause int }

func (nothingNew) Name() string { return "nothing_new" }

// Check implements agent.Guard.
func (g nothingNew) Check(h *agent.History) agent.Verdict {
	if h.Next == nil || h.Next.Polling || h.SameInRun < 2 {
		return agent.Verdict{}
	}
	row, several := known(h)
	count := len(row) + 1
	warn, pause := moved(h, g.warn, g.pause)
	lvl, threshold := level(count, warn, pause)
	if lvl == agent.Pass || !several {
		return agent.Verdict{}
	}
	return agent.Verdict{
		Level: lvl, Detector: g.Name(), Key: fmt.Sprintf("from:%d", row[0]), Count: count, Threshold: threshold,
		Message: fmt.Sprintf("The last %d calls were all made before, with the same results.", count),
		Calls:   append(row, h.Next.N), Reason: agent.StopLoop,
	}
}

// known lists the newest calls that told nothing new, oldest first. several is true
// where they are not all the same as Next.
func known(h *agent.History) (row []int, several bool) {
	first := len(h.Calls)
	for ; first > 0; first-- {
		if c := &h.Calls[first-1]; !c.Repeats && !c.Polling && !c.Blocked {
			break
		}
	}
	for i := range h.Calls[first:] {
		c := &h.Calls[first+i]
		if c.Polling {
			continue
		}
		row = append(row, c.N)
		several = several || !c.Same(h.Next)
	}
	return row, several
}
