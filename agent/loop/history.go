package loop

import (
	"slices"

	"fusebox/agent"
)

// spec is what a tool declares, as the guards' rules change it.
func (f *execution) spec(name string) (agent.ToolSpec, bool) {
	spec, known := f.Tools.Lookup(name)
	return f.guards.config.Rule(name).Apply(spec), known
}

// recordOf is RecordOf for the run's i-th call. Those of calls that have ended
// come from a cache: fingerprints of long results cost more than all guards
// together.
func (f *execution) recordOf(i int) agent.CallRecord {
	c := f.calls[i]
	rec, ok := f.guards.records[c.ID]
	if !ok {
		spec, known := f.spec(c.Name)
		rec = agent.RecordOf(i+1, c, spec, known)
	}
	if c.State.Ended() {
		f.guards.records[c.ID] = rec
	}
	rec.Polling = rec.Polling || slices.Contains(f.run.State.Polling, agent.CallRef{Tool: rec.Tool, Args: rec.Args})
	return rec
}

// history is what the guards judge before next is executed: the run's calls
// before it, and what the model said. Where next is nil the run itself is judged.
func (f *execution) history(next *agent.ToolCall) *agent.History {
	t := agent.NewTrace(agent.Reach(f.guards.settings, f.guards.config, f.allowedInAll()), f.run.State.Compacted)
	i := 0
	for _, m := range f.branch {
		if m.RunID != f.run.ID || m.Role != agent.FromAssistant {
			continue
		}
		t.Say(m.Content)
		for ; i < len(f.calls) && f.calls[i].MessageID == m.ID; i++ {
			if next != nil && f.calls[i].ID == next.ID {
				rec := f.recordOf(i)
				return f.completed(t.History(&rec, f.guards.settings))
			}
			t.Add(f.recordOf(i))
		}
	}
	return f.completed(t.History(nil, f.guards.settings))
}

// completed adds what the run itself knows.
func (f *execution) completed(h *agent.History) *agent.History {
	h.Steps, h.MaxSteps = f.run.Steps, f.run.Limits.Steps
	h.Active, h.MaxDuration = f.with(f.run.Status).Active, f.run.Limits.Duration()
	if h.Next == nil {
		return h
	}
	rule := f.guards.config.Rule(h.Next.Tool)
	h.Warning, h.Critical = rule.Warning, rule.Critical
	h.Allowed = f.allowed(agent.CallRef{Tool: h.Next.Tool, Args: h.Next.Args})
	return h
}
