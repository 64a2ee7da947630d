package agent

// CallRef names a call by its tool and the guards' fingerprint of its arguments.
type CallRef struct {
	Tool string `json:"tool"`
	Args string `json:"args"`
}

// Allowance moves the thresholds and the breaker of one call by N, for one run.
type Allowance struct {
	CallRef
	N int `json:"n"`
}

// allowed is by how much a person has moved the thresholds of a call.
func (f *flight) allowed(ref CallRef) int {
	n := 0
	for _, a := range f.run.State.Allowances {
		if a.CallRef == ref {
			n += a.N
		}
	}
	return n
}

// allowMore moves the thresholds of the calls on a card, and lets their streaks
// begin anew: what a person has allowed ends by itself, with a new card.
func (f *flight) allowMore(r *Run, a Approval) {
	var ev LoopEvidence
	if err := decodeEvidence(a, &ev); err != nil {
		f.Log.Error("evidence of a loop approval does not decode", "approval_id", a.ID, "error", err)
	}
	n := a.N
	if n == 0 {
		n = DefaultAllowMore
	}
	given := map[CallRef]bool{}
	for _, c := range append(ev.Calls, EvidenceCall{ToolCallID: a.ToolCallID}) {
		i := f.callIndex(c.ToolCallID)
		if i < 0 {
			continue
		}
		rec := f.recordOf(i)
		ref := CallRef{rec.Tool, rec.Args}
		if given[ref] {
			continue
		}
		given[ref] = true
		r.State.Allowances = append(r.State.Allowances, Allowance{CallRef: ref, N: n})
	}
	blocked := f.callIndex(a.ToolCallID) + 1
	r.State.Trips.forget(func(t Trip) bool { return t.Last == blocked })
}
