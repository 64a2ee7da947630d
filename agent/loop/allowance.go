package loop

import (
	"slices"

	"fusebox/agent"
)

// allowed is by how much a person has moved the thresholds of a call.
func (b *breakers) allowed(ref agent.CallRef) int {
	n := 0
	for _, a := range b.run.State.Allowances {
		if a.CallRef == ref {
			n += a.N
		}
	}
	return n
}

// allowedInAll is what a person has allowed in this run, whatever the call.
func (b *breakers) allowedInAll() int {
	n := 0
	for _, a := range b.run.State.Allowances {
		n += a.N
	}
	return n
}

// allowMore moves the thresholds of the calls of an approval, and lets their streaks
// start over: what a person has allowed ends with a new approval.
func (b *breakers) allowMore(r *agent.Run, a agent.Approval) {
	ev, err := a.LoopEvidence()
	if err != nil {
		b.log.Error("evidence of a loop approval does not decode", "approval_id", a.ID, "error", err)
	}
	n := a.N
	if n == 0 {
		n = agent.DefaultAllowMore
	}
	for _, ref := range b.callsOn(a, ev) {
		r.State.Allowances = append(r.State.Allowances, agent.Allowance{CallRef: ref, N: n})
	}
	blocked := b.calls.index(a.ToolCallID) + 1
	r.State.Trips.Forget(func(t agent.Trip) bool { return t.Last == blocked })
}

// callsOn lists the different calls of a loop approval.
func (b *breakers) callsOn(a agent.Approval, ev agent.LoopEvidence) []agent.CallRef {
	var refs []agent.CallRef
	for _, c := range append(ev.Calls, agent.EvidenceCall{ToolCallID: a.ToolCallID}) {
		i := b.calls.index(c.ToolCallID)
		if i < 0 {
			continue
		}
		rec := b.record(i)
		if ref := (agent.CallRef{Tool: rec.Tool, Args: rec.Args}); !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	return refs
}

// oneCall are the detectors whose streaks are one call each, named by
// CallRef.Key; the streaks of oneShape are named by the call's shape.
var oneCall = []string{"generic_repeat", "no_progress"}

const oneShape = "similar_repeat"

// allowStreak notes that a person has seen a streak and allowed it: detectors
// that see the same calls later ask no second time, until the streak comes back
// or meets the breaker.
func (b *breakers) allowStreak(r *agent.Run, a agent.Approval) {
	ev, err := a.LoopEvidence()
	if a.ToolCallID == "" || err != nil {
		return // an approval about the run itself is about no streak of calls
	}
	last := b.calls.index(a.ToolCallID) + 1
	for _, c := range ev.Calls {
		i := b.calls.index(c.ToolCallID)
		if i < 0 {
			continue
		}
		rec := b.record(i)
		for _, detector := range oneCall {
			r.State.Trips.Reached(detector, agent.CallRef{Tool: rec.Tool, Args: rec.Args}.Key(), last)
		}
		r.State.Trips.Reached(oneShape, agent.CallRef{Tool: rec.Tool, Args: rec.Shape}.Key(), last)
	}
}
