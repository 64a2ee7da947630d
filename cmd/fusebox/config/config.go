package config

import (
	"cmp"
	"net/netip"
	"time"

	"fusebox/agent"
	"fusebox/agent/sandbox"
)

// Config is everything that can be configured from outside.
type Config struct {
	Addr, Data, Database      string
	BaseURL, APIKey           string
	DefaultModel              string
	AdminEmail, AdminPassword string
	File                      string // of the configuration, there or not

	Guard              agent.GuardSettings
	Retry              Retry
	RunTokens          int64
	RunCost            int64
	ConversationTokens int64
	Zone               *time.Location
	Run                Run
	Model              Model
	Tool               Tool
	Sandbox            sandbox.Limits
	Files              Files
	Approval           Approval
	Notify             Notify
	Alert              Alert
	Telemetry          Telemetry
	Policy             Policy
	Weather            Weather
	Demo               Demo
	Web                Web
	Hosts              []string
	SecureCookies      bool
	TrustedProxies     []netip.Prefix
	RequestsPerSecond  int
	Prices             map[string]agent.Price
	Providers          []Provider
	ToolSources
	Path string // in which commands are looked up
	// DemoModels are set where there is a demo model.
	DemoModels []ProviderModel
	// Samples says that tools have sample data, for the demo model.
	Samples bool
}

// Retry says how failed model calls are repeated.
type Retry struct {
	Max       int
	Base, Cap time.Duration
	// Fallbacks is how often an answer whose tool calls broke off is asked for in
	// one piece, ContinuePrompt what is said from the second of them on.
	Fallbacks      int
	ContinuePrompt string
}

// Run bounds the runs that are advanced at the same time: all of them, and those
// of one person.
type Run struct{ Parallel, PerUser int }

// Model bounds model calls and names the models that stand in for others.
type Model struct {
	IdleTimeout, FirstByteTimeout time.Duration
	MaxOutput, Window             int64
	CompactAt                     int
	Fallback                      []string
	Output                        string
	RawLog                        bool
}

// Tool bounds tool calls.
type Tool struct {
	Timeout     time.Duration
	Parallel    int
	OutputLimit int
	// InView is how many tools a model is shown without a search.
	InView int
	// Instructions is the folder of what admins say of tools, "" for none.
	Instructions string
	// Sandbox says what walls programs get: auto, required, or off.
	Sandbox string
}

// Files bounds what people put into the workspaces of chats, in bytes.
type Files struct {
	File, Workspace int64
}

// Approval says how long approvals wait and what happens then.
type Approval struct {
	Timeout, UndoWindow   time.Duration
	OnTimeout, EscalateTo string
	// PerUser is the number of open approvals at which a person can start no more runs; 0 is unlimited.
	PerUser int
}

// Policy says who decides and by which rules of the file.
type Policy struct {
	OwnerMayConfirm, FourEyes bool
	JudgeModel                string
	Rules                     []agent.PolicyRule
}

// Demo is how fast the demo model writes.
type Demo struct{ Delay time.Duration }

// Weather is where the weather tools ask.
type Weather struct{ ForecastURL, GeocodingURL string }

// Web configures how the web is searched, and which hosts may be reached.
type Web struct {
	Provider, URL, KeyEnv string
	Key                   string // the value of the environment variable KeyEnv
	Allow                 []string
}

// UsesDemo reports whether the embedded demo model answers as long as no admin connects an endpoint.
func (c Config) UsesDemo() bool { return !c.HasEndpoint() && len(c.Providers) == 0 }

// HasEndpoint reports whether flags or environment name an endpoint.
func (c Config) HasEndpoint() bool { return c.BaseURL != "" || c.APIKey != "" }

// source is one place a setting may come from, for error messages.
type source struct{ where, value string }

// Load reads defaults, the configuration file, the environment and the
// flags of a command, in rising order of precedence, and returns the other
// arguments too. Every error is an Error; the one for -h shows the usage.
func Load(name, usage string, environ, args []string) (Config, []string, error) {
	flags, rest, err := parseFlags(name, usage, args)
	if err != nil {
		return Config{}, nil, err
	}
	env := envMap(environ)
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
	return c, rest, c.check()
}
