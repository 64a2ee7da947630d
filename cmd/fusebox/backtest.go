package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/agent/guards"
	"fusebox/agent/tools"
	"fusebox/cmd/fusebox/config"
	"fusebox/store"
)

// maxBacktestCalls bounds what one backtest replays.
const maxBacktestCalls = 1_000_000

// backtest is fusebox guards backtest: it prints one JSON object for each run
// that changes, and a summary for the person.
func (p process) backtest(ctx context.Context, args []string) error {
	var from, to string
	var sets, rules []string
	rest, err := split(args, map[string]func(string){"from": once(&from), "to": once(&to), "set": each(&sets), "rule": each(&rules)}, nil)
	if err != nil {
		return err
	}
	c, rest, err := p.loadConfig("guards backtest", rest)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usagef("unexpected argument %q\n%s", rest[0], guardsUsage)
	}
	span, err := daysOf(from, to)
	if err != nil {
		return err
	}
	result, err := p.runBacktest(ctx, c, span, sets, rules)
	if err != nil {
		return err
	}
	return p.printBacktest(result)
}

// span is a range of time, from included, to not.
type span struct{ from, to time.Time }

// defaultSpan is what a backtest looks back where no day is named.
const defaultSpan = 30 * 24 * time.Hour

func daysOf(from, to string) (span, error) {
	s := span{from: time.Now().Add(-defaultSpan), to: time.Now().Add(time.Hour)}
	var err error
	if from != "" {
		if s.from, err = time.Parse(time.DateOnly, from); err != nil {
			return s, usagef("flag --from: %q is not a date; allowed: YYYY-MM-DD", from)
		}
	}
	if to != "" {
		if s.to, err = time.Parse(time.DateOnly, to); err != nil {
			return s, usagef("flag --to: %q is not a date; allowed: YYYY-MM-DD", to)
		}
		s.to = s.to.AddDate(0, 0, 1)
	}
	return s, nil
}

func (p process) runBacktest(ctx context.Context, c config.Config, when span, sets, rules []string) (agent.BacktestResult, error) {
	q := agent.BacktestQuery{From: when.from, To: when.to, Numbers: map[string]string{}}
	for _, text := range sets {
		key, value, ok := strings.Cut(text, "=")
		if !ok {
			return agent.BacktestResult{}, usagef("flag --set: %q is not allowed; allowed: KEY=VALUE such as guard.critical=6", text)
		}
		q.Numbers[key] = value
	}
	for _, text := range rules {
		if err := json.Unmarshal([]byte(text), &q.Rule); err != nil {
			return agent.BacktestResult{}, usagef("flag --rule: %q is not a rule, such as {\"tool\":\"check_job\",\"polling\":true}: %v", text, err)
		}
		if err := q.Rule.Check(); err != nil {
			return agent.BacktestResult{}, usagef("flag --rule: %s", agent.MessageOf(err))
		}
	}
	db, err := p.openStore(ctx, c)
	if err != nil {
		return agent.BacktestResult{}, err
	}
	defer func() { _ = db.Close() }()
	result, err := backtester(db, c.Guard, tools.Builtin())(ctx, q)
	if agent.CodeOf(err) == agent.Invalid {
		err = usagef("flag --set: %s", agent.MessageOf(err))
	}
	return result, err
}

// backtester checks past runs of a store against changed settings, for the
// command and for the page.
func backtester(db *store.Store, base agent.GuardSettings, specs []agent.ToolSpec) func(context.Context, agent.BacktestQuery) (agent.BacktestResult, error) {
	declared := map[string]agent.ToolSpec{}
	for _, spec := range specs {
		declared[spec.Name] = spec
	}
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
		b := guards.Backtest{Now: now, Then: then, Tools: known(maps.Clone(declared))}
		b.Result.More, err = db.PastRuns(ctx, q.From, q.To, maxBacktestCalls, b.Add)
		return b.Result, err
	}
}

func (p process) printBacktest(r agent.BacktestResult) error {
	out := json.NewEncoder(p.stdout)
	out.SetEscapeHTML(false)
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
