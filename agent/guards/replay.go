package guards

import (
	"strings"

	"fusebox/agent"
)

// Tools says what a tool declares, and whether there is one of that name.
type Tools func(name string) (spec agent.ToolSpec, known bool)

// Replay shows a past to the detectors as the loop would have: nothing is
// executed and no one decides. Limits of steps and time, and the judge, are no
// part of it, because a past has no clock and no model.
type Replay struct {
	settings agent.GuardSettings
	config   agent.GuardConfig
	tools    Tools
	guards   []agent.Guard
	trips    agent.Trips
	trace    *agent.Trace
	streams  []agent.StreamGuard // nil until there is text
	n, step  int
	// text is what was streamed of the answer that is not whole yet.
	text strings.Builder
	// stopped are streaks whose breaker has spoken: a run would have ended there.
	stopped map[string]bool
}

// NewReplay begins a run whose context was compacted last after call number
// compacted, 0 for never. config gives the rules for tools.
func NewReplay(s agent.GuardSettings, config agent.GuardConfig, tools Tools, compacted int) *Replay {
	return &Replay{
		settings: s, config: config, tools: tools, guards: All(s), trace: agent.NewTrace(agent.Reach(s, config, 0), compacted),
		stopped: map[string]bool{},
	}
}

// Turn begins a new answer of the model and judges the one before it.
func (r *Replay) Turn() []agent.Verdict {
	r.said()
	verdicts := r.judge(r.trace.History(nil, r.settings))
	r.step++
	r.streams = nil
	return verdicts
}

// Text is a piece of streamed text.
func (r *Replay) Text(piece string) []agent.Verdict {
	r.text.WriteString(piece)
	if r.streams == nil {
		r.streams = Streams(r.settings, "", agent.DeltaText) // a record has no message to ask for repetitions
	}
	var a agent.Assessment
	for _, g := range r.streams {
		if v := g.Write(piece); v.Level > agent.Pass {
			a.Others = append(a.Others, v)
		}
	}
	return r.heard(a)
}

// Message is a whole answer. Text that was streamed of it before is not read twice.
func (r *Replay) Message(text string) []agent.Verdict {
	var verdicts []agent.Verdict
	if r.text.Len() == 0 {
		verdicts = r.Text(text)
	}
	r.text.Reset()
	r.trace.Say(text)
	return append(verdicts, r.judge(r.trace.History(nil, r.settings))...)
}

// said takes streamed text that is over as an answer.
func (r *Replay) said() {
	if r.text.Len() > 0 {
		r.trace.Say(r.text.String())
		r.text.Reset()
	}
}

// Call judges a call before its execution and then takes in how it ended.
func (r *Replay) Call(c agent.ToolCall) []agent.Verdict {
	c.Step = r.step
	if c.Uncounted() {
		return nil
	}
	return r.record(recordOf(c, r.config, r.tools))
}

// recordOf is what the detectors see of a call, under the rules for its tool.
func recordOf(c agent.ToolCall, config agent.GuardConfig, tools Tools) agent.CallRecord {
	spec, known := tools(c.Name)
	return agent.RecordOf(0, c, config.Rule(c.Name).Apply(spec), known)
}

func (r *Replay) record(done agent.CallRecord) []agent.Verdict {
	r.said()
	for _, g := range r.streams {
		g.Reset()
	}
	r.n++
	done.N, done.Step = r.n, r.step
	next := done
	next.Result, next.Failed, next.Succeeded, next.Blocked = "", false, false, false
	h, rule := r.trace.History(&next, r.settings), r.config.Rule(next.Tool)
	h.Warning, h.Critical = rule.Warning, rule.Critical
	verdicts := r.judge(h)
	r.trace.Add(done)
	return verdicts
}

// judge asks the detectors about the run, or about the call that comes next.
func (r *Replay) judge(h *agent.History) []agent.Verdict {
	return r.heard(agent.Assess(r.guards, r.settings.Off, &r.trips, h))
}

// heard are the verdicts of an assessment, the most severe first. A breaker
// speaks once: the run would have ended.
func (r *Replay) heard(a agent.Assessment) []agent.Verdict {
	var verdicts []agent.Verdict
	for _, v := range append([]agent.Verdict{a.Worst}, a.Others...) {
		key := v.Detector + "\x00" + v.Key
		if v.Level == agent.Pass || r.stopped[key] {
			continue
		}
		r.stopped[key] = v.Level == agent.Stop
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// End judges the last answer.
func (r *Replay) End() []agent.Verdict {
	r.said()
	return r.judge(r.trace.History(nil, r.settings))
}
