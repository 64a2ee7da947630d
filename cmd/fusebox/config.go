package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"fusebox/agent"
)

// config is everything the program can be told from outside.
type config struct {
	addr, data, db        string
	baseURL, apiKey       string
	model                 string
	adminEmail, adminPass string

	guard     agent.GuardSettings
	retry     retryConfig
	runTokens int64
	runCost   int64
	convToken int64
	zone      *time.Location
	modelCfg  modelConfig
	tool      toolConfig
	approval  approvalConfig
	notify    notifyConfig
	alert     alertConfig
	telemetry telemetryConfig
	policy    policyConfig
	weather   weatherConfig
	hosts     []string
	secure    bool
	prices    map[string]agent.Price
	providers []providerTable
	// demoModels are set where the demo model answers.
	demoModels []modelTable
}

type retryConfig struct {
	max       int
	base, cap time.Duration
}

type modelConfig struct {
	idleTimeout, firstByteTimeout time.Duration
	maxOutput, window             int64
	compactAt                     int
	fallback                      []string
	output                        string
	rawLog                        bool
}

type toolConfig struct {
	timeout     time.Duration
	parallel    int
	outputLimit int
}

type approvalConfig struct {
	timeout, undoWindow   time.Duration
	onTimeout, escalateTo string
}

type policyConfig struct {
	ownerMayConfirm, fourEyes bool
	judgeModel                string
	rules                     []agent.PolicyRule
}

type weatherConfig struct{ forecastURL, geocodingURL string }

// usesDemo reports whether the embedded demo model answers.
func (c config) usesDemo() bool { return !c.hasEndpoint() && len(c.providers) == 0 }

// hasEndpoint reports whether flags or environment name an endpoint.
func (c config) hasEndpoint() bool { return c.baseURL != "" || c.apiKey != "" }

// source is one place a setting may come from, for error messages.
type source struct{ where, value string }

// loadConfig reads defaults, the configuration file, the environment and the
// flags, in rising order of precedence. Every error is a usageError.
func (p process) loadConfig(name string, args []string) (config, []string, error) {
	flags, rest, err := p.parseFlags(name, args)
	if err != nil {
		return config{}, nil, err
	}
	env := envMap(p.env)
	c := config{apiKey: env["OPENAI_API_KEY"], adminEmail: env["FUSEBOX_ADMIN_EMAIL"], adminPass: env["FUSEBOX_ADMIN_PASSWORD"]}
	for _, f := range topLevel {
		*f.field(&c) = pick(flags[f.flag], env[f.env], f.fallback)
	}
	found, err := readFile(c.data, pick(flags["config"], env["FUSEBOX_CONFIG"], ""))
	if err != nil {
		return config{}, nil, err
	}
	if c.prices, err = found.prices(); err != nil {
		return config{}, nil, err
	}
	if c.providers, err = found.providers(env, c.prices); err != nil {
		return config{}, nil, err
	}
	if c.policy.rules, err = found.policyRules(); err != nil {
		return config{}, nil, err
	}
	for _, k := range keys {
		if err := k.load(&c, found, env); err != nil {
			return config{}, nil, err
		}
	}
	if err := c.standard(env); err != nil {
		return config{}, nil, err
	}
	if err := found.unknown(); err != nil {
		return config{}, nil, err
	}
	return c, rest, c.check()
}

// topLevel are the settings that are flags.
var topLevel = []struct {
	flag, env, fallback, help string
	field                     func(*config) *string
}{
	{"addr", "FUSEBOX_ADDR", "127.0.0.1:8080", "listen address; port 0 picks a free one", func(c *config) *string { return &c.addr }},
	{"data", "FUSEBOX_DATA", "./data", "data folder", func(c *config) *string { return &c.data }},
	{"db", "FUSEBOX_DATABASE_URL", "", "database, sqlite://PATH", func(c *config) *string { return &c.db }},
	{"base-url", "OPENAI_BASE_URL", "", "OpenAI-compatible endpoint; empty and no key: the demo model", func(c *config) *string { return &c.baseURL }},
	{"model", "FUSEBOX_MODEL", "", "default model", func(c *config) *string { return &c.model }},
}

func (p process) parseFlags(name string, args []string) (map[string]string, []string, error) {
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
			return nil, nil, usagef("help\n%s", usage)
		}
		return nil, nil, usagef("%v; allowed flags: -addr -data -db -base-url -model -config", err)
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

// pick returns the first value that is set.
func pick(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// fileValues are the settings of the configuration file, by their dotted path.
type fileValues struct {
	path   string
	text   string
	values map[string]any
	used   map[string]bool
}

// readFile reads the configuration file. The one in the data folder may be
// missing, one that was named may not.
func readFile(data, path string) (fileValues, error) {
	named := path != ""
	if !named {
		path = filepath.Join(data, "fusebox.toml")
	}
	f := fileValues{path: path, values: map[string]any{}, used: map[string]bool{}}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return f, nil
	}
	if err != nil {
		return f, usagef("config file %s cannot be read: %v", path, errors.Unwrap(err))
	}
	f.text = string(raw)
	var tree map[string]any
	if err := toml.Unmarshal(raw, &tree); err != nil {
		var at toml.ParseError
		if errors.As(err, &at) {
			return f, usagef("config file %s, line %d: %s", path, at.Position.Line, at.Message)
		}
		return f, usagef("config file %s: %v", path, err)
	}
	flatten("", tree, f.values)
	return f, nil
}

func flatten(prefix string, tree map[string]any, into map[string]any) {
	for k, v := range tree {
		path := strings.TrimPrefix(prefix+"."+k, ".")
		if sub, ok := v.(map[string]any); ok && path != "prices" {
			flatten(path, sub, into)
			continue
		}
		into[path] = v
	}
}

// unknown names the first key of the file that nothing has asked for.
func (f fileValues) unknown() error {
	var left []string
	for k := range f.values {
		if !f.used[k] {
			left = append(left, k)
		}
	}
	if len(left) == 0 {
		return nil
	}
	slices.Sort(left)
	value := dump(f.values[left[0]])
	if strings.HasPrefix(left[0], "notify.") || strings.HasPrefix(left[0], "telemetry.") { // it may be a secret
		value = "…"
	}
	return usagef("config file %s: unknown key %s = %s; allowed keys: %s", f.path, left[0], value, strings.Join(keyPaths(), ", "))
}

// check holds settings against each other and against the world.
func (c *config) check() error {
	host, _, err := net.SplitHostPort(c.addr)
	if err != nil {
		return usagef("listen address (-addr, FUSEBOX_ADDR) %q is not HOST:PORT, such as 127.0.0.1:8080", c.addr)
	}
	if host != "" { // who listens under a name is asked under it
		c.hosts = append(c.hosts, host)
	}
	if err := c.checkDatabase(); err != nil {
		return err
	}
	if c.baseURL != "" {
		if u, err := url.Parse(c.baseURL); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return usagef("endpoint (-base-url, OPENAI_BASE_URL) %q is not an http or https URL, such as https://api.openai.com/v1", c.baseURL)
		}
	}
	if err := c.guard.Check(); err != nil {
		return usagef("%s", agent.MessageOf(err))
	}
	if err := c.notify.check(); err != nil {
		return err
	}
	if u, ok := webURL(c.notify.publicURL); ok { // links lead there
		c.hosts = append(c.hosts, u.Hostname())
	}
	if c.retry.base > c.retry.cap {
		return usagef("retry.base = %s must not be above retry.cap = %s", c.retry.base, c.retry.cap)
	}
	return nil
}

// checkDatabase turns the database URL into a path.
func (c *config) checkDatabase() error {
	if c.db == "" {
		c.db = filepath.Join(c.data, "fusebox.db")
		return nil
	}
	path, ok := strings.CutPrefix(c.db, "sqlite://")
	if !ok || path == "" {
		scheme, _, _ := strings.Cut(c.db, "://")
		return usagef("database (-db, FUSEBOX_DATABASE_URL) of scheme %q is not known; allowed: sqlite://PATH", scheme)
	}
	c.db = path
	return nil
}

// dump is how a value of the file looks in an error message.
func dump(v any) string { return fmt.Sprintf("%v", v) }
