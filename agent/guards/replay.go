package guards

import (
	"maps"
	"slices"
	"strings"
	"sync"

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

// Setup is one way to set the breakers: numbers and rules for tools.
type Setup struct {
	Settings agent.GuardSettings
	Config   agent.GuardConfig
}

// Backtest checks past runs against two setups: what would trip newly, what
// would trip no longer. Nothing is executed and nothing is changed.
type Backtest struct {
	Now, Then Setup
	Tools     Tools
	Result    agent.BacktestResult
}

// Add replays one run under both setups, at the same time. Tools has to be safe
// for that.
func (b *Backtest) Add(run agent.PastRun) {
	b.Result.Runs++
	b.Result.Calls += len(run.Calls)
	records := recordsOf(run, b.Now.Config, b.Tools)
	var now, then agent.BacktestChange
	var tripsNow, tripsThen bool
	var both sync.WaitGroup
	both.Go(func() { now, tripsNow = firstTrip(run, records, b.Now, b.Tools) })
	both.Go(func() {
		changed := records
		if !sameRules(b.Now.Config, b.Then.Config) {
			changed = recordsOf(run, b.Then.Config, b.Tools)
		}
		then, tripsThen = firstTrip(run, changed, b.Then, b.Tools)
	})
	both.Wait()
	switch {
	case tripsNow && tripsThen:
		b.Result.Still++
	case tripsThen:
		b.Result.New = append(b.Result.New, then)
	case tripsNow:
		b.Result.Gone = append(b.Result.Gone, now)
	}
}

func recordsOf(run agent.PastRun, config agent.GuardConfig, tools Tools) []agent.CallRecord {
	records := make([]agent.CallRecord, len(run.Calls))
	for i, c := range run.Calls {
		records[i] = recordOf(c, config, tools)
	}
	return records
}

func sameRules(a, b agent.GuardConfig) bool {
	return slices.EqualFunc(a.Rules, b.Rules, func(x, y agent.ToolRule) bool {
		return x.Tool == y.Tool && x.Polling == y.Polling &&
			slices.Equal(x.Identity, y.Identity) && slices.Equal(x.Volatile, y.Volatile)
	})
}

// firstTrip replays a run up to its first pause or stop.
func firstTrip(run agent.PastRun, records []agent.CallRecord, s Setup, tools Tools) (agent.BacktestChange, bool) {
	r := NewReplay(s.Settings, s.Config, tools, run.Compacted)
	step, i := 0, 0
	for _, answer := range run.Answers {
		if c, ok := tripOf(run, step, r.Turn()); ok {
			return c, true
		}
		step++
		if c, ok := tripOf(run, step, r.Message(answer.Content)); ok {
			return c, true
		}
		for ; i < len(run.Calls) && run.Calls[i].MessageID == answer.MessageID; i++ {
			step = run.Calls[i].Step
			if c, ok := tripOf(run, step, r.record(records[i])); ok {
				return c, true
			}
		}
	}
	return tripOf(run, step, r.End())
}

func tripOf(run agent.PastRun, step int, verdicts []agent.Verdict) (agent.BacktestChange, bool) {
	i := slices.IndexFunc(verdicts, func(v agent.Verdict) bool { return v.Level >= agent.Pause })
	if i < 0 {
		return agent.BacktestChange{}, false
	}
	v := verdicts[i]
	return agent.BacktestChange{
		RunID: run.ID, ConversationID: run.ConversationID, Title: run.Title, Owner: run.OwnerEmail, Step: step,
		Level: v.Level.String(), Detector: v.Detector, Count: v.Count, Message: v.Message,
	}, true
}

// Changed is a setup with other numbers, by key, and with a rule more in place
// of the one its tool has; a rule without a tool adds none.
func (s Setup) Changed(numbers map[string]string, rule agent.ToolRule) (Setup, error) {
	for _, key := range slices.Sorted(maps.Keys(numbers)) {
		if err := s.Settings.Set(key, numbers[key]); err != nil {
			return s, err
		}
	}
	if rule.Tool == "" {
		return s, s.Settings.Check()
	}
	s.Config.Rules = slices.DeleteFunc(slices.Clone(s.Config.Rules), func(r agent.ToolRule) bool { return r.Tool == rule.Tool })
	s.Config.Rules = append(s.Config.Rules, rule)
	return s, s.Settings.Check()
}
