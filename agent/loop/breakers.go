package loop

import (
	"log/slog"
	"slices"

	"fusebox/agent"
)

// breakers are the detectors of this run, with the settings in effect.
type breakers struct {
	*rows
	tools    *callTools
	config   agent.GuardConfig
	settings agent.GuardSettings
	list     []agent.Guard
	// records are those of calls that have ended, by the call's id.
	records map[string]agent.CallRecord
	past    past
	earlier *[]string // see earlierAnswers; nil until it is asked for
	log     *slog.Logger
}

// assess asks all guards about the run, or about the call that is to be
// executed next, and notes in r how far each streak has come.
func (b *breakers) assess(next *agent.ToolCall, r *agent.Run) agent.Assessment {
	return agent.Assess(b.list, b.settings.Off, &r.State.Trips, b.history(next))
}

// record is RecordOf for the run's i-th call. Those of calls that have ended
// come from a cache: fingerprints of long results cost more than all guards
// together.
func (b *breakers) record(i int) agent.CallRecord {
	c := b.calls.list[i]
	rec, ok := b.records[c.ID]
	if !ok {
		spec, known := b.tools.spec(c.Name)
		rec = agent.RecordOf(i+1, c, spec, known)
	}
	if c.State.Ended() {
		b.records[c.ID] = rec
	}
	rec.Polling = rec.Polling || slices.Contains(b.run.State.Polling, agent.CallRef{Tool: rec.Tool, Args: rec.Args})
	return rec
}

// history is what the guards judge before next is executed: the run's calls
// before it, and what the model said. Where next is nil the run itself is judged.
func (b *breakers) history(next *agent.ToolCall) *agent.History {
	p := b.settled()
	if next != nil && b.calls.index(next.ID) < p.calls {
		p = newPast(p.under) // it has ended since
	}
	t, i := p.trace.Fork(), p.calls
	for _, m := range b.transcript.branch[p.messages:] {
		if !b.saidHere(m) {
			continue
		}
		t.Say(m.Content)
		for ; b.calledBy(m, i); i++ {
			if next != nil && b.calls.list[i].ID == next.ID {
				rec := b.record(i)
				return b.completed(t.History(&rec, b.settings))
			}
			b.add(t, i)
		}
	}
	return b.completed(t.History(nil, b.settings))
}

// completed adds what the run itself knows.
func (b *breakers) completed(h *agent.History) *agent.History {
	h.Steps, h.MaxSteps = b.run.Steps, b.run.Limits.Steps
	h.Active, h.MaxDuration = b.with(b.run.Status).Active, b.run.Limits.Duration()
	if h.Next == nil {
		if len(b.calls.list) == 0 {
			before := b.earlierAnswers()
			h.Answers, h.EarlierAnswers = slices.Concat(before, h.Answers), len(before)
		}
		return h
	}
	rule := b.config.Rule(h.Next.Tool)
	h.Warning, h.Critical = rule.Warning, rule.Critical
	h.Allowed = b.allowed(agent.CallRef{Tool: h.Next.Tool, Args: h.Next.Args})
	return h
}

// tripped is the end that a breaker makes of the run.
func (b *breakers) tripped(a agent.Assessment, c *agent.ToolCall) *ending {
	v := a.Worst
	reason := v.Reason
	if reason == "" {
		reason = agent.StopLoop
	}
	return &ending{
		status: agent.StatusStopped, reason: reason, because: v.Message, verdicts: b.trace(a, c),
		events: []agent.EventData{guardEvent(v, b.calls.evidence(v, a.Others))},
	}
}
