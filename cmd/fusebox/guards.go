package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"fusebox/agent"
	"fusebox/agent/guards"
	"fusebox/agent/tools"
)

const guardsUsage = `usage: fusebox guards explain FILE [--set key=value…] [--tool name=polling|read|write|exec…]
       fusebox guards backtest PATH… [--format FORMAT] [--set key=value…] [--rule JSON] [--tool name=class…] [--json] [flags]
       fusebox guards backtest [--from DAY] [--to DAY] [--set key=value…] [--rule JSON] [flags]`

// errTripped is the end of a command that has found and printed what it looks
// for: there is nothing more to say than the exit status.
var errTripped = errors.New("found something")

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

func (p process) explain(args []string) error {
	declared := map[string]agent.ToolSpec{}
	var sets, classes []string
	rest, err := split(args, map[string]func(string){"set": each(&sets), "tool": each(&classes)}, nil)
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
	if err := setNumbers(&c.Guard, sets); err != nil {
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
	out := p.encoder("")
	tripped, err := guards.Explain(in, c.Guard, known(declared), func(e guards.Explained) error { return out.Encode(e) })
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
		return nil, usagef("%s cannot be read: %v", path, errors.Unwrap(err))
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
		return declared[name], true
	}
}

// knownSpecs are the built-in tools and those of a toolbox, as known has them.
func knownSpecs(specs []agent.ToolSpec) guards.Tools {
	declared := map[string]agent.ToolSpec{}
	for _, spec := range specs {
		declared[spec.Name] = spec
	}
	return known(declared)
}

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
