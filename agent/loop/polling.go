package loop

import (
	"fmt"
	"slices"
	"time"

	"fusebox/agent"
	"fusebox/agent/fingerprint"
)

// polling are the calls that wait outside the model until their result changes.
type polling struct {
	*rows
	breakers *breakers
}

// begin makes a call one that waits outside the model, now and whenever
// the model makes it again in this run.
func (p *polling) begin(r *agent.Run, c agent.ToolCall) {
	rec := p.breakers.record(p.calls.index(c.ID))
	r.State.Polling = append(r.State.Polling, agent.CallRef{Tool: rec.Tool, Args: rec.Args})
	r.State.Waits = append(r.State.Waits, p.newWait(rec, p.breakers.settings.PollFirst))
}

func (p *polling) text(c agent.ToolCall) string {
	s := p.breakers.settings
	return fmt.Sprintf("%s is polled without the model: it is retried after %s, then at growing intervals of up to %s, until its result changes, for at most %s.",
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

// newWait is the wait of a call whose first try is after some time.
func (p *polling) newWait(rec agent.CallRecord, after time.Duration) agent.Wait {
	now := p.now()
	w := agent.Wait{CallID: rec.CallID, Delay: after, NextAt: now.Add(after), Until: now.Add(p.breakers.settings.PollWait)}
	for i := rec.N - 2; i >= 0 && w.Result == ""; i-- {
		if c := p.breakers.record(i); c.Same(&rec) {
			w.Result = c.Result // the newest one of the same call in this run
		}
	}
	return w
}

// resume lets a call that a person had treated as polling wait, when the
// model makes it once more.
func (p *polling) resume(r *agent.Run, c agent.ToolCall) {
	rec := p.breakers.record(p.calls.index(c.ID))
	if slices.Contains(r.State.Polling, agent.CallRef{Tool: rec.Tool, Args: rec.Args}) {
		r.State.Waits = append(r.State.Waits, p.newWait(rec, 0))
	}
}

func (p *polling) waitOf(callID string) (agent.Wait, bool) {
	i := slices.IndexFunc(p.run.State.Waits, func(w agent.Wait) bool { return w.CallID == callID })
	if i < 0 {
		return agent.Wait{}, false
	}
	return p.run.State.Waits[i], true
}

// sleeps reports whether a scheduled call is not to be tried yet.
func (p *polling) sleeps(c agent.ToolCall) bool {
	w, ok := p.waitOf(c.ID)
	return ok && p.clock.Now().Before(w.NextAt)
}

// unchanged reports whether a waiting call brought nothing new, and its time
// is not over.
func (p *polling) unchanged(c agent.ToolCall, res agent.ToolResult) bool {
	w, ok := p.waitOf(c.ID)
	if !ok || res.ErrorType == agent.ErrCancelled || !p.clock.Now().Before(w.Until) {
		return false
	}
	spec, _ := p.tools.spec(c.Name)
	return w.Result == string(res.ErrorType)+fingerprint.Result(res.Content, spec.Volatile)+agent.ImageNames(res.Images)
}

// again lets a call that brought nothing new wait for longer.
func (p *polling) again(r *agent.Run, c agent.ToolCall) {
	r.State.Waits = slices.Clone(r.State.Waits)
	w := &r.State.Waits[slices.IndexFunc(r.State.Waits, func(w agent.Wait) bool { return w.CallID == c.ID })]
	w.Delay = max(min(2*w.Delay, p.breakers.settings.PollCap), p.breakers.settings.PollFirst)
	w.NextAt = p.now().Add(w.Delay)
}

func (p *polling) done(r *agent.Run, c agent.ToolCall) {
	r.State.Waits = slices.DeleteFunc(slices.Clone(r.State.Waits), func(w agent.Wait) bool { return w.CallID == c.ID })
}

func (p *polling) anySleeps() bool {
	return slices.ContainsFunc(p.calls.open(), func(c agent.ToolCall) bool { return c.State == agent.CallScheduled && p.sleeps(c) })
}
