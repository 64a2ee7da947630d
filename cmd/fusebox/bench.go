package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/cmd/fusebox/bench"
	"fusebox/cmd/fusebox/config"
)

const benchUsage = "usage: fusebox bench [--base-url U --model M] [--json] [--compare FILE] [--seconds N] [--runs N] [--dir DIR] [--quick]"

type benchFlags struct {
	target       bench.Target
	compare, dir string
	seconds      int
	runs         int
	json, quick  bool
}

// The bounds of what one measurement may ask for, and its defaults. Many runs of a
// model that is given cost money.
const (
	benchSeconds, maxBenchSeconds = 30, 3600
	benchRuns, maxBenchRuns       = 200, 2000
	givenRuns                     = 8
)

func (p process) bench(ctx context.Context, args []string) error {
	f, err := parseBench(args)
	if err != nil {
		return err
	}
	f.target.Key = p.variable("OPENAI_API_KEY")
	var earlier bench.Result
	if f.compare != "" {
		if earlier, err = bench.Read(f.compare); err != nil {
			return usagef("flag --compare: %s %v; name a file that fusebox bench --json wrote", f.compare, err)
		}
	}
	result, err := p.runBench(ctx, f)
	if ctx.Err() != nil {
		return errors.New("interrupted: nothing was measured to the end")
	}
	if err != nil {
		return err
	}
	if f.compare == "" {
		return p.printBench(result, result.Print, f.json)
	}
	compared := bench.Compare(result, earlier)
	if len(compared.Ratios) == 0 {
		p.say("%s has none of these lines: it was measured with other sizes", f.compare)
	}
	return p.printBench(compared, compared.Print, f.json)
}

func parseBench(args []string) (f benchFlags, err error) {
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&f.target.BaseURL, "base-url", "", "OpenAI-compatible endpoint")
	fs.StringVar(&f.target.Model, "model", "", "its model")
	fs.BoolVar(&f.json, "json", false, "print JSON")
	fs.StringVar(&f.compare, "compare", "", "earlier result")
	fs.IntVar(&f.seconds, "seconds", benchSeconds, "about how long to measure")
	fs.IntVar(&f.runs, "runs", 0, "how many runs at once")
	fs.StringVar(&f.dir, "dir", "", "where the temporary folder is made")
	fs.BoolVar(&f.quick, "quick", false, "measure little")
	if err := fs.Parse(args); err != nil {
		return f, usagef("%v\n%s", err, benchUsage)
	}
	if fs.NArg() > 0 {
		return f, usagef("unexpected argument %q\n%s", fs.Arg(0), benchUsage)
	}
	if f.runs == 0 {
		f.runs = benchRuns
		if f.target.BaseURL != "" {
			f.runs = givenRuns
		}
	}
	return f, f.check()
}

func (f benchFlags) check() error {
	u, err := url.Parse(f.target.BaseURL)
	given := f.target.BaseURL != ""
	switch {
	case given && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https"):
		return usagef("flag --base-url: %q is not an http or https URL, such as http://127.0.0.1:11434/v1", f.target.BaseURL)
	case given && f.target.Model == "":
		return usagef("flag --base-url: name the model to ask as well, with --model")
	case !given && f.target.Model != "":
		return usagef("flag --model: name its endpoint as well, with --base-url; the built-in endpoint has models of its own")
	case given && f.quick:
		return usagef("flag --quick: it is for the built-in endpoint; a given one is always measured with few calls")
	case f.seconds < 1 || f.seconds > maxBenchSeconds:
		return usagef("flag --seconds: %d is not allowed; allowed: a number from 1 to %d", f.seconds, maxBenchSeconds)
	case f.runs < 1 || f.runs > maxBenchRuns:
		return usagef("flag --runs: %d is not allowed; allowed: a number from 1 to %d", f.runs, maxBenchRuns)
	}
	if info, err := os.Stat(f.dir); f.dir != "" && (err != nil || !info.IsDir()) {
		return usagef("flag --dir: %q is not a folder; name one that is there", f.dir)
	}
	return nil
}

// runBench measures this very program. Settings of the environment are not for the
// server that is measured.
func (p process) runBench(ctx context.Context, f benchFlags) (bench.Result, error) {
	program, err := os.Executable()
	if err != nil {
		return bench.Result{}, fmt.Errorf("find the program: %w", err)
	}
	plan := bench.PlanFor(time.Duration(f.seconds)*time.Second, f.runs)
	if f.quick {
		plan = bench.Quick(f.runs)
	}
	if f.target.BaseURL != "" {
		plan = bench.OwnModel(f.runs)
		p.say("this makes about %d calls of %s, which may cost money; Ctrl-C ends it", plan.Calls(), f.target)
	}
	return bench.Run(ctx, bench.Options{
		Plan: plan, Target: f.target, Program: program, Version: programVersion(), Dir: f.dir, Prepare: p.benchAccounts,
		Env: slices.DeleteFunc(slices.Clone(p.env), func(kv string) bool {
			name, _, _ := strings.Cut(kv, "=")
			return config.IsSetting(name)
		}),
		Progress: func(what string) { p.say("measuring: %s", what) },
	})
}

// benchAccounts makes a database with accounts, and a token for each. The accounts
// have no password: nobody signs in, and hashing one takes longer than a start.
func (p process) benchAccounts(ctx context.Context, data string, n int) ([]string, error) {
	db, err := p.openStore(ctx, config.Config{Database: filepath.Join(data, "fusebox.db")})
	if err != nil {
		return nil, err
	}
	users := &service.Users{Store: db, Clock: agent.SystemClock{}, NewID: newID, Log: slog.Default()}
	ctx = agent.WithViewer(ctx, shell())
	var tokens []string
	for i := range n {
		u := agent.User{ID: newID(), Email: fmt.Sprintf("bench-%d@example.org", i), Role: agent.RoleUser, CreatedAt: time.Now()}
		if err := db.CreateUser(ctx, u, ""); err != nil {
			return nil, errors.Join(err, db.Close())
		}
		_, token, err := users.CreateToken(ctx, service.TokenInput{UserID: u.ID, Name: "bench", Scopes: allScopes()})
		if err != nil {
			return nil, errors.Join(err, db.Close())
		}
		tokens = append(tokens, token)
	}
	return tokens, db.Close()
}

func (p process) printBench(result any, table func(io.Writer) error, asJSON bool) error {
	if !asJSON {
		return table(p.stdout)
	}
	return p.encoder("  ").Encode(result)
}

func (p process) variable(name string) string {
	for _, kv := range slices.Backward(p.env) {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}
