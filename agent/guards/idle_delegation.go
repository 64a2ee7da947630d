package guards

import (
	"fmt"
	"slices"
	"strings"

	"fusebox/agent"
	"fusebox/agent/fingerprint"
)

// idleDelegation catches a run that hands over one task after the other of which nothing new
// comes: the runs that it makes have only made calls that runs of the same agents made
// before, with the same results; or no calls at all, and they answer nearly what that agent
// has answered before. It counts answers with such tasks, the first of each agent included.
// A call of the run itself that brings something new ends the row, and it leaves alone a task
// for an agent that is not in the row. Its numbers are guard.warning, guard.critical, and
// guard.breaker.
type idleDelegation struct{ warn, pause, stop int }

func (idleDelegation) Name() string { return "idle_delegation" }

func (g idleDelegation) Check(h *agent.History) agent.Verdict {
	if h.Tree == nil || h.Next == nil || h.Next.Delegation == nil {
		return agent.Verdict{}
	}
	row := idle(h)
	if !slices.ContainsFunc(row, func(c *agent.CallRecord) bool { return c.Delegation.Agent == h.Next.Delegation.Agent }) {
		return agent.Verdict{}
	}
	steps := []int{h.Next.Step}
	var calls []int
	var agents []string
	for _, c := range row {
		if !slices.Contains(steps, c.Step) {
			steps = append(steps, c.Step)
		}
		if !slices.Contains(agents, c.Delegation.Agent) {
			agents = append(agents, c.Delegation.Agent)
		}
		calls = append(calls, c.N)
	}
	slices.Sort(calls)
	slices.Sort(agents)
	count := len(steps)
	lvl, threshold := level(count, later(g.warn, h.Allowed), later(g.pause, h.Allowed))
	if stop := later(g.stop, h.Allowed); stop > 0 && count >= stop {
		lvl, threshold = agent.Stop, stop
	}
	if lvl == agent.Pass {
		return agent.Verdict{}
	}
	return agent.Verdict{
		Level: lvl, Detector: g.Name(), Key: fmt.Sprintf("from:%d", calls[0]), Count: count, Threshold: threshold, Reason: agent.StopLoop,
		Message: fmt.Sprintf("Tasks were handed over %d times (%s), and nothing new came of it.", count, strings.Join(agents, ", ")),
		Calls:   append(calls, h.Next.N),
	}
}

// idle lists the newest tasks of which nothing new came, and the one of each agent before
// them that they repeat.
func idle(h *agent.History) (row []*agent.CallRecord) {
	at := len(h.Calls) - 1
	for ; at >= 0; at-- {
		c := &h.Calls[at]
		if c.Step == h.Next.Step || c.Delegation == nil && !foundOut(c) || c.Delegation != nil && c.Delegation.RunID == "" {
			continue
		}
		if c.Delegation == nil || !nothingCame(h, at) {
			break
		}
		row = append(row, c)
	}
	for _, c := range slices.Clone(row) {
		first := func(d *agent.CallRecord) bool { return d.Delegation.Agent == c.Delegation.Agent }
		if i := before(h, at+1, first); i >= 0 && !slices.Contains(row, &h.Calls[i]) {
			row = append(row, &h.Calls[i])
		}
	}
	return row
}

// foundOut reports whether a call of the run itself has found something out.
func foundOut(c *agent.CallRecord) bool {
	return c.Result != "" && !c.Repeats && !c.Polling && !agent.Tells(c.Tool)
}

// before is the index of the newest delegation before a place that fits, -1 for none.
func before(h *agent.History, at int, fits func(*agent.CallRecord) bool) int {
	for i := at - 1; i >= 0; i-- {
		if c := &h.Calls[i]; c.Delegation != nil && c.Delegation.RunID != "" && fits(c) {
			return i
		}
	}
	return -1
}

// nothingCame reports whether a task brought nothing that the tasks of its agent before it
// had not brought.
func nothingCame(h *agent.History, at int) bool {
	c := &h.Calls[at]
	works, fresh := h.Tree.Below(c.Delegation.RunID)
	return !fresh && before(h, at, func(d *agent.CallRecord) bool {
		same := d.Step < c.Step && d.Delegation.Agent == c.Delegation.Agent
		return same && (works || fingerprint.Likeness(d.Delegation.Sketch, c.Delegation.Sketch) >= littleChanged)
	}) >= 0
}
