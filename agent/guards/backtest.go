package guards

import (
	"maps"
	"slices"
	"sync"

	"fusebox/agent"
)

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
