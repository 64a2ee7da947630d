package agent

// history is what the guards judge: of the run's calls before next (or all,
// where next is nil) the last ones that fit the window. The same call twice in
// one answer of the model stands in it once.
func (f *flight) history(next *ToolCall) History {
	h := History{
		Steps: f.run.Steps, MaxSteps: f.run.Limits.Steps,
		Active: f.with(f.run.Status).Active, MaxDuration: f.run.Limits.Duration(),
		Failures: f.failures(),
	}
	room := f.Settings.Guards.Window
	if next != nil {
		rec := f.record(f.callIndex(next.ID))
		h.Next, h.SameInRun = &rec, 1
		room--
	}
	for i, c := range f.calls {
		if next != nil && (c.ID == next.ID || c.Step > next.Step) {
			break
		}
		rec := f.record(i)
		if next != nil && rec.Same(*h.Next) && rec.Step == next.Step {
			continue // the twin in the same answer: counted with next
		}
		if twinBefore(h.Calls, rec) {
			continue
		}
		if next != nil && rec.Same(*h.Next) {
			h.SameInRun++
		}
		h.Calls = append(h.Calls, rec)
	}
	if len(h.Calls) > room {
		h.Calls = h.Calls[len(h.Calls)-room:]
	}
	return h
}

// twinBefore reports whether the same call of the same answer is already there.
func twinBefore(calls []CallRecord, rec CallRecord) bool {
	for i := len(calls) - 1; i >= 0 && calls[i].Step == rec.Step; i-- {
		if calls[i].Same(rec) {
			return true
		}
	}
	return false
}

func (f *flight) record(i int) CallRecord {
	c := f.calls[i]
	spec, _ := f.Tools.Lookup(c.Name)
	rec := CallRecord{
		N: i + 1, CallID: c.ID, Step: c.Step, Tool: c.Name, Args: c.ArgsHash,
		Failed: c.State == CallError, Blocked: c.Blocked, Polling: spec.Polling,
	}
	if c.State.Ended() && !c.Blocked {
		rec.Result = c.ResultHash
	}
	return rec
}

// failures counts the answers in a row, newest first, of whose calls none
// succeeded. A person's refusal is not a failure of the agent: it is passed over.
func (f *flight) failures() int {
	count := 0
	for i := len(f.calls) - 1; i >= 0; {
		step, failed, succeeded := f.calls[i].Step, false, false
		for ; i >= 0 && f.calls[i].Step == step; i-- {
			failed = failed || (f.calls[i].State == CallError && f.calls[i].ErrorType != ErrRejected)
			succeeded = succeeded || f.calls[i].State == CallSuccess
		}
		if succeeded {
			return count
		}
		if failed {
			count++
		}
	}
	return count
}
