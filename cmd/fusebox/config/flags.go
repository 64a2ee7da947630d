package config

import (
	"errors"
	"flag"
	"io"
	"strings"
)

// topLevel are the settings that are flags.
var topLevel = []struct {
	flag, env, fallback, help string
	field                     func(*Config) *string
}{
	{"addr", "FUSEBOX_ADDR", "127.0.0.1:8080", "listen address; port 0 picks a free one", func(c *Config) *string { return &c.Addr }},
	{"data", "FUSEBOX_DATA", "./data", "data folder", func(c *Config) *string { return &c.Data }},
	{"db", "FUSEBOX_DATABASE_URL", "", "database, sqlite://PATH", func(c *Config) *string { return &c.Database }},
	{"base-url", "OPENAI_BASE_URL", "", "OpenAI-compatible endpoint; empty and no key: the demo model", func(c *Config) *string { return &c.BaseURL }},
	{"model", "FUSEBOX_MODEL", "", "default model", func(c *Config) *string { return &c.DefaultModel }},
}

func parseFlags(name, usage string, args []string) (map[string]string, []string, error) {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	given := map[string]string{}
	set := func(flag string) func(string) error {
		return func(v string) error { given[flag] = v; return nil }
	}
	for _, f := range topLevel {
		fs.Func(f.flag, f.help, set(f.flag))
	}
	fs.Func("config", "configuration file", set("config"))
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, nil, Errorf("help\n%s", usage)
		}
		return nil, nil, Errorf("%v; allowed flags: -addr -data -db -base-url -model -config", err)
	}
	return given, fs.Args(), nil
}

func envMap(env []string) map[string]string {
	m := make(map[string]string, len(env))
	for _, kv := range env {
		k, v, _ := strings.Cut(kv, "=")
		m[k] = v
	}
	return m
}
