package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/agent/guards"
	"fusebox/agent/tools"
)

const guardsUsage = `usage: fusebox guards explain FILE [--set key=value…] [--tool name=polling|read|write|exec…]
       fusebox guards backtest [--from DAY] [--to DAY] [--set key=value…] [--rule JSON] [flags]`

// errTripped is the end of guards explain where a detector paused or stopped:
// there is nothing more to say than the exit status.
var errTripped = errors.New("a detector tripped")

// guards is fusebox guards: what the breakers make of a history, and of past runs.
func (p process) guards(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return usagef("%s", guardsUsage)
	}
	switch args[0] {
	case "explain":
		return p.explain(args[1:])
	case "backtest":
		return p.backtest(ctx, args[1:])
	default:
		return usagef("unknown command guards %q\n%s", args[0], guardsUsage)
	}
}

// explain is fusebox guards explain.
func (p process) explain(args []string) error {
	declared := map[string]agent.ToolSpec{}
	var sets, classes []string
	rest, err := splitMany(args, map[string]*[]string{"set": &sets, "tool": &classes})
	if err != nil {
		return err
	}
	c, rest, err := p.loadConfig("guards explain", rest)
	if err != nil {
		return err
	}
	if len(rest) != 1 {
		return usagef("guards explain needs one FILE, or - for standard input\n%s", guardsUsage)
	}
	if err := setNumbers(&c.guard, sets); err != nil {
		return err
	}
	if err := declare(declared, classes); err != nil {
		return err
	}
	in, err := p.open(rest[0])
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out := json.NewEncoder(p.stdout)
	out.SetEscapeHTML(false)
	tripped, err := guards.Explain(in, c.guard, known(declared), func(e guards.Explained) error { return out.Encode(e) })
	switch {
	case agent.CodeOf(err) == agent.Invalid:
		return usagef("%s, %s", rest[0], agent.MessageOf(err))
	case err != nil:
		return err
	case tripped:
		return errTripped
	}
	return nil
}

func (p process) open(path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(p.stdin), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, usagef("history %s cannot be read: %v", path, errors.Unwrap(err))
	}
	return f, nil
}

// known are the built-in tools and those that were declared; of any other name
// nothing is known but that it is there.
func known(declared map[string]agent.ToolSpec) guards.Tools {
	for _, spec := range tools.Builtin() {
		if _, own := declared[spec.Name]; !own {
			declared[spec.Name] = spec
		}
	}
	return func(name string) (agent.ToolSpec, bool) {
		spec, ok := declared[name]
		return spec, ok
	}
}

// declare reads name=class pairs.
func declare(into map[string]agent.ToolSpec, classes []string) error {
	for _, text := range classes {
		name, class, ok := strings.Cut(text, "=")
		spec, seen := into[name]
		if !seen {
			spec.Name = name
		}
		switch class {
		case "polling":
			spec.Polling = true
		case "read", "write", "exec", "network":
			spec.Effect = agent.Effect(class)
		default:
			ok = false
		}
		if !ok || name == "" {
			return usagef("flag --tool: %q is not allowed; allowed: NAME=polling, NAME=read, NAME=write, NAME=exec, NAME=network", text)
		}
		into[name] = spec
	}
	return nil
}

// setNumbers reads key=value pairs into the guards' settings.
func setNumbers(s *agent.GuardSettings, sets []string) error {
	for _, text := range sets {
		key, value, ok := strings.Cut(text, "=")
		if !ok {
			return usagef("flag --set: %q is not allowed; allowed: KEY=VALUE such as guard.critical=6", text)
		}
		if err := s.Set(key, value); err != nil {
			return usagef("flag --set: %s", agent.MessageOf(err))
		}
	}
	return nil
}

// splitMany takes flags that may be given several times out of arguments.
func splitMany(args []string, own map[string]*[]string) (rest []string, err error) {
	for i := 0; i < len(args); i++ {
		name, value, given := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		field, ok := own[name]
		if !ok || !strings.HasPrefix(args[i], "-") {
			rest = append(rest, args[i])
			continue
		}
		if !given {
			if i++; i == len(args) {
				return nil, usagef("flag --%s needs a value", name)
			}
			value = args[i]
		}
		*field = append(*field, value)
	}
	return rest, nil
}

// maxBacktestCalls bounds what one backtest replays.
const maxBacktestCalls = 1_000_000

// backtest is fusebox guards backtest: it prints one JSON object for each run
// that changes, and a summary for the person.
func (p process) backtest(ctx context.Context, args []string) error {
	var from, to string
	var sets, rules []string
	rest, err := split(args, map[string]*string{"from": &from, "to": &to}, nil)
	if err != nil {
		return err
	}
	if rest, err = splitMany(rest, map[string]*[]string{"set": &sets, "rule": &rules}); err != nil {
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
			return s, usagef("flag --from: %q is no day; allowed: YYYY-MM-DD", from)
		}
	}
	if to != "" {
		if s.to, err = time.Parse(time.DateOnly, to); err != nil {
			return s, usagef("flag --to: %q is no day; allowed: YYYY-MM-DD", to)
		}
		s.to = s.to.AddDate(0, 0, 1)
	}
	return s, nil
}

func (p process) runBacktest(ctx context.Context, c config, when span, sets, rules []string) (guards.BacktestResult, error) {
	var none guards.BacktestResult
	numbers := map[string]string{}
	for _, text := range sets {
		key, value, ok := strings.Cut(text, "=")
		if !ok {
			return none, usagef("flag --set: %q is not allowed; allowed: KEY=VALUE such as guard.critical=6", text)
		}
		numbers[key] = value
	}
	var rule agent.ToolRule
	for _, text := range rules {
		if err := json.Unmarshal([]byte(text), &rule); err != nil {
			return none, usagef("flag --rule: %q is no rule, such as {\"tool\":\"check_job\",\"polling\":true}: %v", text, err)
		}
		if err := rule.Check(); err != nil {
			return none, usagef("flag --rule: %s", agent.MessageOf(err))
		}
	}
	db, err := p.openStore(ctx, c)
	if err != nil {
		return none, err
	}
	defer func() { _ = db.Close() }()
	config, err := db.GuardConfig(ctx)
	if err != nil {
		return none, err
	}
	now := guards.Setup{Settings: config.Effective(c.guard, nil), Config: config}
	then, err := now.Changed(numbers, rule)
	if err != nil {
		return none, usagef("flag --set: %s", agent.MessageOf(err))
	}
	b := guards.Backtest{Now: now, Then: then, Tools: known(map[string]agent.ToolSpec{})}
	b.Result.More, err = db.PastRuns(ctx, when.from, when.to, maxBacktestCalls, b.Add)
	return b.Result, err
}

func (p process) printBacktest(r guards.BacktestResult) error {
	out := json.NewEncoder(p.stdout)
	out.SetEscapeHTML(false)
	for _, group := range []struct {
		change string
		runs   []guards.Change
	}{{"new", r.New}, {"gone", r.Gone}} {
		for _, c := range group.runs {
			if err := out.Encode(struct {
				Effect string `json:"change"`
				guards.Change
			}{group.change, c}); err != nil {
				return fmt.Errorf("print: %w", err)
			}
		}
	}
	p.say("%d runs with %d calls: %d would trip newly, %d no longer, %d as before", r.Runs, r.Calls, len(r.New), len(r.Gone), r.Still)
	if r.More {
		p.say("only the first %d calls were replayed; name a shorter span with --from and --to", maxBacktestCalls)
	}
	return nil
}
