// Command fusebox is the server and its few tools of administration: main, the
// wiring, and one file a command. It is the only place that knows which
// implementation is behind which interface. Its settings come from package
// config.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"os/user"
	"strings"
	"syscall"
	_ "time/tzdata" // budgets and bills know time zones on machines that do not

	"github.com/oklog/ulid/v2"

	"fusebox/agent"
	"fusebox/agent/documents/child"
	"fusebox/cmd/fusebox/config"
	"fusebox/store"
)

// Exit statuses: usage and configuration errors are 2, everything else that
// goes wrong is 1.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
	// exitTripped is for guards explain, where a detector paused or stopped, for
	// audit verify and ledger verify, where something is broken, for policy test and guards
	// backtest of files, where an example or a case is not as it says, and for backup, where
	// it lacks files.
	exitTripped = 3
)

func main() {
	// A second signal ends the process at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	p := process{env: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
	os.Exit(p.main(ctx, os.Args[1:]))
}

// process is what the program has of the outside; tests make their own.
type process struct {
	env            []string
	stdin          io.Reader
	stdout, stderr io.Writer
}

func usagef(format string, args ...any) error { return config.Errorf(format, args...) }

// loadConfig reads the settings; rest are the arguments that are not flags.
func (p process) loadConfig(name string, args []string) (c config.Config, rest []string, err error) {
	return config.Load(name, usage, p.env, args)
}

// loadAlone reads the settings of a command that has flags and nothing else.
func (p process) loadAlone(name, usage string, args []string) (config.Config, error) {
	c, rest, err := p.loadConfig(name, args)
	if err == nil && len(rest) > 0 {
		err = usagef("%s", strings.TrimSpace(fmt.Sprintf("unexpected argument %q\n%s", rest[0], usage)))
	}
	return c, err
}

// commands are the subcommands; none at all means serve.
var commands = map[string]func(process, context.Context, []string) error{
	"serve":      process.serve,
	"user":       process.user,
	"token":      process.token,
	"import":     process.importFiles,
	"demo-model": process.demoModel,
	"backup":     process.backup,
	"restore":    process.restore,
	"bench":      process.bench,
	"guards":     process.guards,
	"audit":      process.audit,
	"ledger":     process.ledger,
	"policy":     process.policy,
	"prices":     process.prices,
	"measure":    process.measure,
	"doctor":     process.doctor,
	"version":    process.version,
	// Not for people: the server starts it for each document.
	child.Command: process.readDocument,
}

const usage = `usage: fusebox [serve] [flags]
       fusebox user add --email E --role user|reviewer|admin [--group G] [--password-stdin] [flags]
       fusebox user passwd --email E [--password-stdin] [--keep-tokens] [flags]
       fusebox user remove --email E [flags]
       fusebox token new --user E [--scope S]... [--expires 90d] [flags]
       fusebox import DIR|FILE --user E [--name N] [--fetch] [flags]
       fusebox demo-model [-addr HOST:PORT] [--strict FAMILY] [--break-every N]
       fusebox backup FILE [flags]
       fusebox restore FILE [flags]
       fusebox bench [--base-url U --model M] [--json] [--compare FILE] [--seconds N] [--runs N] [--dir DIR] [--quick]
       fusebox guards explain FILE [--set key=value…] [--tool name=class…]
       fusebox guards backtest PATH… [--format FORMAT] [--set key=value…] [--rule JSON] [--tool name=class…] [--json] [flags]
       fusebox guards backtest [--from DAY] [--to DAY] [--set key=value…] [--rule JSON] [flags]
       fusebox audit verify [--head HASH] [--rows N] [flags]
       fusebox ledger verify [flags]
       fusebox policy test FILE [--database] [flags]
       fusebox prices list [flags]
       fusebox prices import FILE [--all] [--source TEXT] [flags]
       fusebox measure [--documents DIR --questions FILE] [--yes] [--quick] [--json] [flags]
       fusebox doctor [flags]
       fusebox version
flags: -addr -data -db -base-url -model -config (see docs/configuration.md)`

func (p process) main(ctx context.Context, args []string) int {
	name := "serve"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	run, known := commands[name]
	if !known {
		p.say("fusebox: unknown command %q\n%s", name, usage)
		return exitUsage
	}
	err := run(p, ctx, args)
	var bad config.Error
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errTripped):
		return exitTripped
	case errors.As(err, &bad):
		p.say("fusebox: %s", bad.Error())
		return exitUsage
	default:
		p.say("fusebox: %v", err)
		return exitError
	}
}

// say writes a line for the person at the terminal. Where that fails there is
// no one to tell.
func (p process) say(format string, args ...any) {
	_, _ = fmt.Fprintf(p.stderr, format+"\n", args...)
}

// encoder writes JSON for people and programs, with signs as they are.
func (p process) encoder(indent string) *json.Encoder {
	out := json.NewEncoder(p.stdout)
	out.SetEscapeHTML(false)
	out.SetIndent("", indent)
	return out
}

// openStore opens the database while a server may be running: SQLite
// serialises the two writers.
func (p process) openStore(ctx context.Context, c config.Config) (*store.Store, error) {
	return store.Open(ctx, store.Options{Path: c.Database, Clock: agent.SystemClock{}, NewID: newID, Logger: slog.New(slog.DiscardHandler)})
}

func (p process) readDocument(ctx context.Context, args []string) error {
	return child.ReadStdin(ctx, args, p.env, p.stdout)
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
	if e, ok := errors.AsType[*agent.Error](err); ok && e.Err == nil {
		return errors.New(e.Message)
	}
	return err
}

// newID makes ids that sort by time; within one process strictly.
func newID() string { return ulid.Make().String() }
