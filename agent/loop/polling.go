package loop

import (
	"fmt"
	"slices"
	"time"

	"fusebox/agent"
	"fusebox/agent/fingerprint"
)

// asPolling makes a call one that waits outside the model, now and whenever
// the model makes it again in this run.
func (f *execution) asPolling(r *agent.Run, c agent.ToolCall) {
	i := f.callIndex(c.ID)
	rec := f.recordOf(i)
	r.State.Polling = append(r.State.Polling, agent.CallRef{Tool: rec.Tool, Args: rec.Args})
	r.State.Waits = append(r.State.Waits, f.newWait(c.ID, f.lastResult(rec), f.guards.settings.PollFirst))
}

func (f *execution) pollingText(c agent.ToolCall) string {
	s := f.guards.settings
	return fmt.Sprintf("%s waits outside the model: it is tried again after %s, then at growing intervals of up to %s, until its result changes, for at most %s.",
		c.Name, spoken(s.PollFirst), spoken(s.PollCap), spoken(s.PollWait))
}

// spoken writes a duration for people: 2 s, 60 s, 30 min.
func spoken(d time.Duration) string {
	switch {
	case d >= 2*time.Minute && d%time.Minute == 0:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d >= time.Second:
		return fmt.Sprintf("%d s", d/time.Second)
	default:
		return d.String()
	}
}

// newWait is a wait whose first try is after some time.
func (f *execution) newWait(callID, result string, after time.Duration) agent.Wait {
	now := f.now()
	return agent.Wait{
		CallID: callID, Result: result, Delay: after,
		NextAt: now.Add(after), Until: now.Add(f.guards.settings.PollWait),
	}
}

// lastResult is the newest result of the same call in this run, "" for none.
func (f *execution) lastResult(rec agent.CallRecord) string {
	for i := rec.N - 2; i >= 0; i-- {
		if c := f.recordOf(i); c.Same(&rec) && c.Result != "" {
			return c.Result
		}
	}
	return ""
}

// waitAgain lets a call that a person had treated as polling wait, when the
// model makes it once more.
func (f *execution) waitAgain(r *agent.Run, c agent.ToolCall) {
	rec := f.recordOf(f.callIndex(c.ID))
	if slices.Contains(r.State.Polling, agent.CallRef{Tool: rec.Tool, Args: rec.Args}) {
		r.State.Waits = append(r.State.Waits, f.newWait(c.ID, f.lastResult(rec), 0))
	}
}

func (f *execution) waitOf(callID string) (agent.Wait, bool) {
	i := slices.IndexFunc(f.run.State.Waits, func(w agent.Wait) bool { return w.CallID == callID })
	if i < 0 {
		return agent.Wait{}, false
	}
	return f.run.State.Waits[i], true
}

// sleeps reports whether a scheduled call is not to be tried yet.
func (f *execution) sleeps(c agent.ToolCall) bool {
	w, ok := f.waitOf(c.ID)
	return ok && f.Clock.Now().Before(w.NextAt)
}

// stillSame reports whether a waiting call brought nothing new, and its time
// is not over.
func (f *execution) stillSame(c agent.ToolCall, res agent.ToolResult) bool {
	w, ok := f.waitOf(c.ID)
	if !ok || res.ErrorType == agent.ErrCancelled || !f.Clock.Now().Before(w.Until) {
		return false
	}
	spec, _ := f.spec(c.Name)
	return w.Result == string(res.ErrorType)+fingerprint.Result(res.Content, spec.Volatile)
}

// waited brings the waits up to date after some calls were tried.
func (f *execution) waited(r *agent.Run, tried []agent.ToolCall, same []bool) bool {
	changed := false
	r.State.Waits = slices.Clone(r.State.Waits)
	for i, c := range tried {
		at := slices.IndexFunc(r.State.Waits, func(w agent.Wait) bool { return w.CallID == c.ID })
		if at < 0 {
			continue
		}
		changed = true
		if !same[i] {
			r.State.Waits = slices.Delete(r.State.Waits, at, at+1)
			continue
		}
		w := &r.State.Waits[at]
		w.Delay = max(min(2*w.Delay, f.guards.settings.PollCap), f.guards.settings.PollFirst)
		w.NextAt = f.now().Add(w.Delay)
	}
	return changed
}

// sleep lets go of the run until the first of its waiting calls is due, or the
// first decision can no longer be undone.
func (f *execution) sleep() error {
	r := f.with(agent.StatusQueued)
	until := func(t time.Time) {
		if r.WakeAt.IsZero() || t.Before(r.WakeAt) {
			r.WakeAt = t
		}
	}
	for _, c := range f.calls {
		if w, ok := f.waitOf(c.ID); ok && c.State == agent.CallScheduled {
			until(w.NextAt)
		}
	}
	for _, a := range f.approvals {
		if f.canBeUndone(a) {
			until(a.EffectiveAt)
		}
	}
	return f.commit(agent.Entry{Run: r})
}

// anySleeps reports whether a call waits for its time.
func (f *execution) anySleeps() bool {
	return slices.ContainsFunc(f.calls, func(c agent.ToolCall) bool { return c.State == agent.CallScheduled && f.sleeps(c) })
}
