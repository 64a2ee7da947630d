package guards

import (
	"slices"
	"strconv"

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

const (
	// maxTrials bounds how many candidates one search replays.
	maxTrials = 24
	// minRuleDecisions is how many false alarms on a tool a rule for it needs.
	minRuleDecisions = 2
)

// pausesAt is the number that each detector pauses at. It leaves out those that
// need what a past run has not kept: a judge, the text that was cut, which tools
// there were.
var pausesAt = map[string]string{
	"generic_repeat": "guard.critical", "no_progress": "guard.critical", "ping_pong": "guard.critical",
	"cycle": "guard.cycle_critical", "similar_repeat": "guard.similar_critical", "nothing_new": "guard.nothing_new_critical",
	"post_compaction": "guard.compaction_critical", "repeated_answer": "guard.answer_critical",
	"consecutive_errors": "guard.max_consecutive_errors",
}

// candidates are the changes to try, by detector and the narrowest first: rules
// for the tool with most false alarms, then higher numbers. A detector with too
// few decisions, or without false alarms, has none.
func candidates(now Setup, decisions []agent.LoopDecision) []*trial {
	var all []*trial
	for _, sum := range agent.SumLoopDecisions(decisions) {
		key := pausesAt[sum.Detector]
		if sum.TooFew || sum.FalseAlarms == 0 || key == "" {
			continue
		}
		for _, rule := range rulesToTry(now, falseAlarms(decisions, sum.Detector)) {
			all = addTrial(all, now, trial{detector: sum.Detector, rule: rule})
		}
		for _, numbers := range raised(now.Settings, key) {
			all = addTrial(all, now, trial{detector: sum.Detector, numbers: numbers})
		}
	}
	return all[:min(len(all), maxTrials)]
}

// addTrial adds a candidate unless its numbers do not fit together.
func addTrial(all []*trial, now Setup, t trial) []*trial {
	setup, err := now.Changed(t.numbers, t.rule)
	if err != nil || t.rule.Tool != "" && t.rule.Check() != nil {
		return all
	}
	t.setup = setup
	return append(all, &t)
}

// falseAlarms are the decisions on a detector's pauses that say the run was fine.
func falseAlarms(decisions []agent.LoopDecision, detector string) []agent.LoopDecision {
	return slices.DeleteFunc(slices.Clone(decisions), func(d agent.LoopDecision) bool {
		ev, err := d.LoopEvidence()
		return err != nil || ev.Detector != detector || d.Judge() != agent.FalseAlarm
	})
}

// rulesToTry are rules for the tool with the most false alarms, on top of the
// rule that it has: thresholds of its own, and polling where a decision speaks for it.
// Identity and volatile fields are not tried: they only make more calls the same.
func rulesToTry(now Setup, alarms []agent.LoopDecision) []agent.ToolRule {
	byTool, tool := map[string][]agent.LoopDecision{}, ""
	for _, d := range alarms {
		byTool[d.ToolName] = append(byTool[d.ToolName], d)
		if d.ToolName != "" && (tool == "" || len(byTool[d.ToolName]) > len(byTool[tool])) {
			tool = d.ToolName
		}
	}
	if tool == "" || len(byTool[tool]) < minRuleDecisions {
		return nil
	}
	rule := now.Config.Rule(tool)
	count, polls := rule.Critical, false
	for _, d := range byTool[tool] {
		ev, _ := d.LoopEvidence() // it has been read before
		count = max(count, ev.Threshold)
		polls = polls || d.Answer == agent.ResumeAsPolling || agent.ProposedRule(d.Approval).Polling
	}
	var rules []agent.ToolRule
	for _, n := range further(count, 1000) {
		own := rule
		own.Critical = n
		rules = append(rules, own)
	}
	if polls && !rule.Polling {
		rule.Polling = true
		rules = append(rules, rule)
	}
	return rules
}

// raised are higher values of one number. The breaker keeps its distance from
// guard.critical, and what has to be as high as that goes along.
func raised(s agent.GuardSettings, key string) []map[string]string {
	n, _ := agent.FindGuardNumber(key)
	present, _ := strconv.Atoi(n.Of(s)) // pausesAt has only whole numbers
	var all []map[string]string
	for _, v := range further(present, int(n.Max)) {
		numbers := map[string]string{key: strconv.Itoa(v)}
		if key == "guard.critical" {
			atLeast(numbers, "guard.breaker", s.Breaker, v+afterRule)
			atLeast(numbers, "guard.ceiling", s.Ceiling, v+afterRule)
			atLeast(numbers, "guard.window", s.Window, v+afterRule)
		}
		all = append(all, numbers)
	}
	return all
}

func atLeast(numbers map[string]string, key string, present, least int) {
	if present < least {
		numbers[key] = strconv.Itoa(least)
	}
}

// further are a fifth, a half, and the whole of a threshold more, at most a limit.
func further(threshold, limit int) []int {
	var all []int
	for _, tenths := range []int{12, 15, 20} {
		v := min((threshold*tenths+9)/10, limit)
		if v > threshold && !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}
