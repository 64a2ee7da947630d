package config

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strings"

	"fusebox/agent"
)

// Error is bad input on the command line, in the environment or in the
// configuration file: one line that says where, what, and what is allowed.
type Error struct{ text string }

func (e Error) Error() string { return e.text }

// Errorf is an Error.
func Errorf(format string, args ...any) error { return Error{fmt.Sprintf(format, args...)} }

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
	take := func(flag, help string) {
		fs.Func(flag, help, func(v string) error { given[flag] = v; return nil })
	}
	for _, f := range topLevel {
		take(f.flag, f.help)
	}
	take("config", "configuration file")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, nil, Errorf("help\n%s", usage)
		}
		return nil, nil, Errorf("%v; allowed flags: -addr -data -db -base-url -model -config", err)
	}
	return given, fs.Args(), nil
}

// UsesDemo reports whether the embedded demo model answers as long as no admin connects an endpoint.
func (c Config) UsesDemo() bool { return !c.HasEndpoint() && len(c.Providers) == 0 }

// HasEndpoint reports whether flags or environment name an endpoint.
func (c Config) HasEndpoint() bool { return c.BaseURL != "" || c.APIKey != "" }

// Load reads defaults, the configuration file, the environment and the
// flags of a command, in rising order of precedence, and returns the other
// arguments too. Every error is an Error; the one for -h shows the usage.
func Load(name, usage string, environ, args []string) (Config, []string, error) {
	flags, rest, err := parseFlags(name, usage, args)
	if err != nil {
		return Config{}, nil, err
	}
	env := make(map[string]string, len(environ))
	for _, kv := range environ {
		k, v, _ := strings.Cut(kv, "=")
		env[k] = v
	}
	c := Config{APIKey: env["OPENAI_API_KEY"], AdminEmail: env["FUSEBOX_ADMIN_EMAIL"], AdminPassword: env["FUSEBOX_ADMIN_PASSWORD"]}
	for _, f := range topLevel {
		*f.field(&c) = cmp.Or(flags[f.flag], env[f.env], f.fallback)
	}
	found, err := readFile(c.Data, cmp.Or(flags["config"], env["FUSEBOX_CONFIG"], ""))
	if err != nil {
		return Config{}, nil, err
	}
	c.File = found.path
	if c.Prices, err = found.prices(); err != nil {
		return Config{}, nil, err
	}
	if c.Providers, err = found.providers(env, c.Prices); err != nil {
		return Config{}, nil, err
	}
	c.Path = env["PATH"]
	if c.ToolSources, err = found.toolSources(env); err != nil {
		return Config{}, nil, err
	}
	if c.Policy.Rules, err = found.policyRules(); err != nil {
		return Config{}, nil, err
	}
	if c.Agents, err = found.agents(); err != nil {
		return Config{}, nil, err
	}
	if c.Workflows, err = found.workflows(); err != nil {
		return Config{}, nil, err
	}
	for _, k := range keys {
		if err := k.load(&c, found, env); err != nil {
			return Config{}, nil, err
		}
	}
	if err := c.Web.settle(env); err != nil {
		return Config{}, nil, err
	}
	if err := c.standard(env); err != nil {
		return Config{}, nil, err
	}
	if err := found.unknown(); err != nil {
		return Config{}, nil, err
	}
	if err := c.check(); err != nil {
		return Config{}, nil, err
	}
	return c, rest, nil
}

// check checks settings against each other and against the world.
func (c *Config) check() error {
	host, _, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return Errorf("listen address (-addr, FUSEBOX_ADDR) %q is not HOST:PORT, such as 127.0.0.1:8080", c.Addr)
	}
	if host != "" { // a server that listens under a name is reached under it
		c.Hosts = append(c.Hosts, host)
	}
	path, known := strings.CutPrefix(c.Database, "sqlite://")
	switch {
	case c.Database == "":
		c.Database = filepath.Join(c.Data, "fusebox.db")
	case !known || path == "":
		scheme, _, _ := strings.Cut(c.Database, "://")
		return Errorf("database (-db, FUSEBOX_DATABASE_URL) of scheme %q is not known; allowed: sqlite://PATH", scheme)
	default:
		c.Database = path
	}
	if _, ok := WebURL(c.BaseURL); !ok && c.BaseURL != "" {
		return Errorf("endpoint (-base-url, OPENAI_BASE_URL) %q is not an http or https URL, such as https://api.openai.com/v1", c.BaseURL)
	}
	if err := c.Guard.Check(); err != nil {
		return Errorf("%s", agent.MessageOf(err))
	}
	switch n := c.Notify; {
	case n.WebhookURL != "" && n.WebhookSecret == "":
		return Errorf("notify.webhook_url is set without notify.webhook_secret (FUSEBOX_NOTIFY_WEBHOOK_SECRET): receivers use it to verify the sender; set a text of at least 16 characters")
	case n.SMTPURL != "" && n.From == "":
		return Errorf("notify.smtp_url is set without notify.from: set the sender's address, such as Fusebox <fusebox@example.org>")
	}
	if u, ok := WebURL(c.Notify.PublicURL); ok { // links lead there
		c.Hosts = append(c.Hosts, u.Hostname())
	}
	if c.Retry.Base > c.Retry.Cap {
		return Errorf("retry.base = %s must not be above retry.cap = %s", c.Retry.Base, c.Retry.Cap)
	}
	return nil
}

// IsSetting reports whether an environment variable configures the program.
func IsSetting(name string) bool {
	switch {
	case strings.HasPrefix(name, "OPENAI_"), strings.HasPrefix(name, "OTEL_"):
		return true
	case name == "FUSEBOX_CONFIG", name == "FUSEBOX_ADMIN_EMAIL", name == "FUSEBOX_ADMIN_PASSWORD":
		return true
	}
	for _, f := range topLevel {
		if f.env == name {
			return true
		}
	}
	return slices.ContainsFunc(keys, func(k key) bool { return k.envName() == name })
}
