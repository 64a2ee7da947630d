package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/agent/guards"
	"fusebox/agent/tools"
	"fusebox/cmd/fusebox/config"
	"fusebox/store"
)

const maxBacktestCalls = 1_000_000

type backtestFlags struct {
	from, to    string
	sets, rules []string

	// For histories in files only.
	format string
	tools  []string
	json   bool
}

// backtest is fusebox guards backtest, of files where some are named, or else of
// the past runs of the database.
func (p process) backtest(ctx context.Context, args []string) error {
	var f backtestFlags
	own := map[string]func(string){
		"from": once(&f.from), "to": once(&f.to), "set": each(&f.sets), "rule": each(&f.rules), "format": once(&f.format), "tool": each(&f.tools),
	}
	rest, err := split(args, own, map[string]*bool{"json": &f.json})
	if err != nil {
		return err
	}
	boundHeap(sweepGrowth)
	c, paths, err := p.loadConfig("guards backtest", rest)
	switch {
	case err != nil:
		return err
	case len(paths) > 0:
		return p.backtestFiles(c, paths, f)
	case f.json || f.format != "" || f.tools != nil:
		return usagef("flags --json, --format, and --tool need a PATH\n%s", guardsUsage)
	}
	result, err := p.backtestRuns(ctx, c, f)
	if err != nil {
		return err
	}
	return p.printBacktest(result)
}

const defaultSpan = 30 * 24 * time.Hour

// backtestRuns replays the past runs of the days that the flags name.
func (p process) backtestRuns(ctx context.Context, c config.Config, f backtestFlags) (result agent.BacktestResult, err error) {
	q := agent.BacktestQuery{From: time.Now().Add(-defaultSpan), To: time.Now().Add(time.Hour)}
	if f.from != "" {
		if q.From, err = time.Parse(time.DateOnly, f.from); err != nil {
			return result, usagef("flag --from: %q is not a date; allowed: YYYY-MM-DD", f.from)
		}
	}
	if f.to != "" {
		if q.To, err = time.Parse(time.DateOnly, f.to); err != nil {
			return result, usagef("flag --to: %q is not a date; allowed: YYYY-MM-DD", f.to)
		}
		q.To = q.To.AddDate(0, 0, 1)
	}
	if q.Numbers, q.Rule, err = f.changes(); err != nil {
		return result, err
	}
	db, err := p.openStore(ctx, c)
	if err != nil {
		return result, err
	}
	defer func() { _ = db.Close() }()
	result, err = backtester(db, c.Guard, tools.Builtin)(ctx, q)
	if agent.CodeOf(err) == agent.Invalid {
		err = usagef("flag --set: %s", agent.MessageOf(err))
	}
	return result, err
}

func (f backtestFlags) changes() (numbers map[string]string, rule agent.ToolRule, err error) {
	numbers = map[string]string{}
	for _, text := range f.sets {
		key, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, rule, usagef("flag --set: %q is not allowed; allowed: KEY=VALUE such as guard.critical=6", text)
		}
		numbers[key] = value
	}
	for _, text := range f.rules {
		if err := json.Unmarshal([]byte(text), &rule); err != nil {
			return nil, rule, usagef("flag --rule: %q is not a rule, such as {\"tool\":\"check_job\",\"polling\":true}: %v", text, err)
		}
		if err := rule.Check(); err != nil {
			return nil, rule, usagef("flag --rule: %s", agent.MessageOf(err))
		}
	}
	return numbers, rule, nil
}

// backtester checks past runs of a store against changed settings, for the
// command and for the page.
func backtester(db *store.Store, base agent.GuardSettings, specs func() []agent.ToolSpec) func(context.Context, agent.BacktestQuery) (agent.BacktestResult, error) {
	return func(ctx context.Context, q agent.BacktestQuery) (agent.BacktestResult, error) {
		Config, err := db.GuardConfig(ctx)
		if err != nil {
			return agent.BacktestResult{}, err
		}
		now := guards.Setup{Settings: Config.Effective(base, nil), Config: Config}
		then, err := now.Changed(q.Numbers, q.Rule)
		if err != nil {
			return agent.BacktestResult{}, err
		}
		b := guards.Backtest{Now: now, Then: then, Tools: knownSpecs(specs())}
		b.Result.More, err = db.PastRuns(ctx, q.From, q.To, maxBacktestCalls, b.Add)
		return b.Result, err
	}
}

// printBacktest prints one JSON object for each past run that changes, and a summary for
// the person.
func (p process) printBacktest(r agent.BacktestResult) error {
	out := p.encoder("")
	for _, group := range []struct {
		change string
		runs   []agent.BacktestChange
	}{{"new", r.New}, {"gone", r.Gone}} {
		for _, c := range group.runs {
			if err := out.Encode(struct {
				Effect string `json:"change"`
				agent.BacktestChange
			}{group.change, c}); err != nil {
				return fmt.Errorf("print: %w", err)
			}
		}
	}
	p.say("%d runs with %d calls: %d would newly trip, %d would no longer trip, %d unchanged", r.Runs, r.Calls, len(r.New), len(r.Gone), r.Still)
	if r.More {
		p.say("only the first %d calls were replayed; choose a shorter period with --from and --to", maxBacktestCalls)
	}
	return nil
}

// What one search for better thresholds may replay, and for how long.
const (
	maxLearningCalls = 100_000
	maxLearningTime  = 10 * time.Second
)

// learner searches past runs of a store for changes that would have spared
// false alarms. Where its time is up it answers with what it has replayed so far.
func learner(db *store.Store, base agent.GuardSettings, specs func() []agent.ToolSpec, limit time.Duration) func(context.Context, agent.LearningQuery) (agent.LearningSearch, error) {
	return func(ctx context.Context, q agent.LearningQuery) (agent.LearningSearch, error) {
		config, err := db.GuardConfig(ctx)
		if err != nil {
			return agent.LearningSearch{}, err
		}
		l := guards.NewLearning(guards.Setup{Settings: config.Effective(base, nil), Config: config}, knownSpecs(specs()), q.Decisions)
		if l.Empty() {
			return l.Result, nil
		}
		bounded, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		l.Result.More, err = db.PastRuns(bounded, q.From, q.To, maxLearningCalls, l.Add)
		if err != nil && bounded.Err() != nil && ctx.Err() == nil {
			l.Result.More, err = true, nil
		}
		l.Finish()
		return l.Result, err
	}
}
