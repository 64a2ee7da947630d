package main

import (
	"context"
	"errors"
	"log/slog"
	"os/user"
	"strings"

	"fusebox/agent"
	"fusebox/cmd/fusebox/config"
	"fusebox/store"
)

// openStore opens the database while a server may be running: SQLite
// serialises the two writers.
func (p process) openStore(ctx context.Context, c config.Config) (*store.Store, error) {
	return store.Open(ctx, store.Options{Path: c.Database, Clock: agent.SystemClock{}, NewID: newID, Logger: slog.New(slog.DiscardHandler)})
}

// split takes the flags of a subcommand out of its arguments and leaves the
// general ones, which loadConfig reads.
func split(args []string, own map[string]func(string), switches map[string]*bool) (rest []string, err error) {
	for i := 0; i < len(args); i++ {
		name, value, given := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		isFlag := strings.HasPrefix(args[i], "-")
		if on, ok := switches[name]; ok && isFlag {
			*on = true
			continue
		}
		take, ok := own[name]
		if !ok || !isFlag {
			rest = append(rest, args[i])
			continue
		}
		if !given {
			if i++; i == len(args) {
				return nil, usagef("flag --%s needs a value", name)
			}
			value = args[i]
		}
		take(value)
	}
	return rest, nil
}

// once keeps the last value of a flag, each all of them.
func once(field *string) func(string) { return func(value string) { *field = value } }

func each(field *[]string) func(string) {
	return func(value string) { *field = append(*field, value) }
}

// shell is the person at the command line: anyone who may write the database. What
// the system calls them is only a hint.
func shell() agent.Viewer {
	v := agent.Viewer{Email: agent.System, Place: "command line"}
	if u, err := user.Current(); err == nil {
		v.Place += " " + u.Username
	}
	return v
}

// shown keeps of a domain error what a person is to read.
func shown(err error) error {
	var e *agent.Error
	if errors.As(err, &e) && e.Err == nil {
		return errors.New(e.Message)
	}
	return err
}
