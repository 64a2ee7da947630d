package guards

import (
	"slices"

	"fusebox/agent"
)

// Learning replays past runs under the present setup and under a few looser
// ones, and finds those that would have spared false alarms. Nothing is executed
// and nothing is changed.
type Learning struct {
	Result agent.LearningSearch

	now    Setup
	tools  Tools
	judged map[string]agent.Judgement // by run
	trials []*trial
	// paused counts the runs that trip under the present setup.
	paused agent.PauseCounts
}

// trial is a candidate with what replaying came to.
type trial struct {
	detector string
	numbers  map[string]string
	rule     agent.ToolRule
	setup    Setup
	paused   agent.PauseCounts
	spared   []agent.BacktestChange
	missed   []agent.BacktestChange
}

// NewLearning prepares a search over what would have changed these decisions.
func NewLearning(now Setup, tools Tools, decisions []agent.LoopDecision) *Learning {
	l := &Learning{
		Result: agent.LearningSearch{Tried: []string{}, Suggestions: []agent.LearningSuggestion{}},
		now:    now, tools: tools, judged: agent.JudgeRuns(decisions), trials: candidates(now, decisions),
	}
	for _, t := range l.trials {
		if !slices.Contains(l.Result.Tried, t.detector) {
			l.Result.Tried = append(l.Result.Tried, t.detector)
		}
	}
	return l
}

// Empty reports whether there is nothing to try.
func (l *Learning) Empty() bool { return len(l.trials) == 0 }

// Add replays one run under the present setup and under all candidates.
func (l *Learning) Add(run agent.PastRun) {
	l.Result.Runs++
	l.Result.Calls += len(run.Calls)
	judged := l.judged[run.ID]
	records := recordsOf(run, l.now.Config, l.tools)
	change, tripped := firstTrip(run, records, l.now, l.tools)
	if tripped {
		l.paused.Count(judged)
	}
	for _, t := range l.trials {
		own := records
		if !sameRules(l.now.Config, t.setup.Config) {
			own = recordsOf(run, t.setup.Config, l.tools)
		}
		_, still := firstTrip(run, own, t.setup, l.tools)
		switch {
		case still:
			t.paused.Count(judged)
		case tripped && judged == agent.FalseAlarm:
			t.spared = append(t.spared, change)
		case tripped && judged == agent.RealLoop:
			t.missed = append(t.missed, change)
		}
	}
}

// Finish picks the best candidate of each detector: the one that spares most
// for what it misses, and of equals the narrowest.
func (l *Learning) Finish() {
	for _, detector := range l.Result.Tried {
		var best *trial
		for _, t := range l.trials {
			if t.detector == detector && t.gain() > 0 && (best == nil || t.gain() > best.gain()) {
				best = t
			}
		}
		if best != nil {
			l.Result.Suggestions = append(l.Result.Suggestions, l.suggestion(best))
		}
	}
}

// gain is how many more false alarms a candidate spares than loops it misses.
func (t *trial) gain() int { return len(t.spared) - len(t.missed) }

func (l *Learning) suggestion(t *trial) agent.LearningSuggestion {
	s := agent.LearningSuggestion{
		Detector: t.detector, Numbers: t.numbers, Now: l.paused, Then: t.paused, Spared: t.spared, Missed: t.missed,
	}
	if t.rule.Tool != "" {
		s.Rule = &t.rule
	}
	for key := range t.numbers {
		if s.Was == nil {
			s.Was = map[string]string{}
		}
		n, _ := agent.FindGuardNumber(key)
		s.Was[key] = n.Of(l.now.Settings)
	}
	if s.Missed == nil {
		s.Missed = []agent.BacktestChange{}
	}
	return s
}
