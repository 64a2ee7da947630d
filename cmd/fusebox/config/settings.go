package config

import (
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/agent/demo"
	"fusebox/agent/guards"
	"fusebox/agent/provider"
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
	// EmbeddingModel turns passages of documents into vectors, "" for none.
	EmbeddingModel string
	// Titles is the model that names chats, "" for that of the chat.
	Titles            string
	Hosts             []string
	SecureCookies     bool
	TrustedProxies    []netip.Prefix
	RequestsPerSecond int
	Prices            map[string]agent.Price
	Providers         []Provider
	Agents            []agent.Agent
	Workflows         []agent.Workflow
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
	// InView is the number of tools that a model is shown without a search.
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

// Demo is the pace of the demo model.
type Demo struct{ Delay time.Duration }

// Weather has the addresses that the weather tools ask.
type Weather struct{ ForecastURL, GeocodingURL string }

// Alert says when an hour's spending raises an alert.
type Alert struct {
	SurgeFactor float64
	SurgeMin    int64
}

// maxSurgeFactor is the factor above which no one would ever be alerted.
const maxSurgeFactor = 1000

// keys are all settings with their defaults. A new one is a field above, a row here, and
// one in docs/configuration.md.
var keys = slices.Concat(guardKeys(), notifyKeys(), []key{
	{"alert.surge_factor", "5", "a number from 1 to 1000, such as 5 or 2.5; 0 sends no alerts", func(c *Config, text string) bool {
		f, err := strconv.ParseFloat(text, 64)
		c.Alert.SurgeFactor = f
		return err == nil && !math.IsNaN(f) && (f == 0 || f >= 1 && f <= maxSurgeFactor)
	}},
	numberKey("alert.surge_min_micros", "1000000", 0, 1_000_000_000_000, func(c *Config) *int64 { return &c.Alert.SurgeMin }),
}, telemetryKeys(), webKeys(), sandboxKeys(), []key{
	{"guard.off", "", "names of detectors separated by commas, such as chanting, cycle", func(c *Config, text string) bool {
		c.Guard.Off = list(text)
		return !slices.ContainsFunc(c.Guard.Off, func(name string) bool { return !guards.Known(name) })
	}},
	anyKey("guard.judge_model", "the name of a model of the endpoint; empty switches the judge off", func(c *Config) *string { return &c.Guard.JudgeModel }),
	numberKey("budget.run_cost_micros", "0", 0, 1_000_000_000_000, func(c *Config) *int64 { return &c.RunCost }),
	numberKey("retry.max", "10", 0, 100, func(c *Config) *int { return &c.Retry.Max }),
	durationKey("retry.base", "500ms", time.Millisecond, time.Hour, func(c *Config) *time.Duration { return &c.Retry.Base }),
	durationKey("retry.cap", "30s", time.Millisecond, time.Hour, func(c *Config) *time.Duration { return &c.Retry.Cap }),
	numberKey("retry.fallbacks", "3", 1, 20, func(c *Config) *int { return &c.Retry.Fallbacks }),
	textKey("retry.continue_prompt", provider.DefaultContinuePrompt, 2000, func(c *Config) *string { return &c.Retry.ContinuePrompt }),
	numberKey("budget.run_tokens", "200000", 1, 1_000_000_000, func(c *Config) *int64 { return &c.RunTokens }),
	{"budget.time_zone", "UTC", "the name of a time zone, such as UTC or Europe/Berlin", func(c *Config, text string) bool {
		var err error
		c.Zone, err = time.LoadLocation(text)
		return err == nil && text != "" && text != "Local"
	}},
	numberKey("budget.conversation_tokens", "0", 0, 1_000_000_000_000, func(c *Config) *int64 { return &c.ConversationTokens }),
	numberKey("run.parallel", "1000", 1, 100_000, func(c *Config) *int { return &c.Run.Parallel }),
	numberKey("run.parallel_per_user", "8", 1, 100_000, func(c *Config) *int { return &c.Run.PerUser }),
	durationKey("model.idle_timeout", "60s", 10*time.Millisecond, time.Hour, func(c *Config) *time.Duration { return &c.Model.IdleTimeout }),
	durationKey("model.first_byte_timeout", "0s", 0, time.Hour, func(c *Config) *time.Duration { return &c.Model.FirstByteTimeout }),
	numberKey("model.max_output_tokens", "8192", 256, 1_000_000, func(c *Config) *int64 { return &c.Model.MaxOutput }),
	numberKey("model.context_window", "0", 0, 100_000_000, func(c *Config) *int64 { return &c.Model.Window }),
	numberKey("model.compact_at", "80", 0, 95, func(c *Config) *int { return &c.Model.CompactAt }),
	{"model.fallback", "", "names of models separated by commas, such as openrouter/gpt-5", func(c *Config, text string) bool {
		c.Model.Fallback = list(text)
		return true
	}},
	choiceKey("model.output_mode", "token", agent.OutputModes(), func(c *Config) *string { return &c.Model.Output }),
	boolKey("provider.raw_log", "false", func(c *Config) *bool { return &c.Model.RawLog }),
	durationKey("tool.timeout", "60s", 10*time.Millisecond, 24*time.Hour, func(c *Config) *time.Duration { return &c.Tool.Timeout }),
	numberKey("tool.parallel", "8", 1, 256, func(c *Config) *int { return &c.Tool.Parallel }),
	numberKey("tool.in_view", "24", 10, 1000, func(c *Config) *int { return &c.Tool.InView }),
	anyKey("tool.instructions", "a folder", func(c *Config) *string { return &c.Tool.Instructions }),
	numberKey("tool.output_limit", "32768", 1024, 16<<20, func(c *Config) *int { return &c.Tool.OutputLimit }),
	choiceKey("tool.sandbox", "auto", []string{"auto", "required", "off"}, func(c *Config) *string { return &c.Tool.Sandbox }),
	numberKey("files.max_bytes", "26214400", 1024, 4<<30, func(c *Config) *int64 { return &c.Files.File }),
	numberKey("files.max_workspace", "209715200", 1024, 1<<40, func(c *Config) *int64 { return &c.Files.Workspace }),
	durationKey("approval.timeout", "24h", time.Second, 365*24*time.Hour, func(c *Config) *time.Duration { return &c.Approval.Timeout }),
	choiceKey("approval.on_timeout", "park", []string{"park", "reject", "abort"}, func(c *Config) *string { return &c.Approval.OnTimeout }),
	numberKey("approval.open_per_user", "256", 0, 100_000, func(c *Config) *int { return &c.Approval.PerUser }),
	durationKey("approval.undo_window", "0s", 0, time.Hour, func(c *Config) *time.Duration { return &c.Approval.UndoWindow }),
	{"approval.escalate_to", "admins", "admins, reviewers, or an e-mail address", func(c *Config, text string) bool {
		c.Approval.EscalateTo = text
		return text == string(agent.ToAdmins) || text == string(agent.ToReviewers) || strings.Count(text, "@") == 1
	}},
	boolKey("policy.owner_may_confirm", "true", func(c *Config) *bool { return &c.Policy.OwnerMayConfirm }),
	anyKey("policy.judge_model", "the name of a model; empty switches the risk judge off", func(c *Config) *string { return &c.Policy.JudgeModel }),
	{"titles.model", "", "the name of a model; empty asks the model of the chat, off none", func(c *Config, text string) bool {
		c.Titles = text
		return text == strings.TrimSpace(text)
	}},
	boolKey("policy.four_eyes", "false", func(c *Config) *bool { return &c.Policy.FourEyes }),
	durationKey("demo.delay", demo.DefaultDelay.String(), 0, time.Minute, func(c *Config) *time.Duration { return &c.Demo.Delay }),
	{"knowledge.embedding_model", "", "the name of a model of embeddings, such as text-embedding-3-small; empty compares words alone", func(c *Config, text string) bool {
		c.EmbeddingModel = text
		return text == strings.TrimSpace(text)
	}},
	urlKey("weather.forecast_url", "https://api.open-meteo.com", func(c *Config) *string { return &c.Weather.ForecastURL }),
	urlKey("weather.geocoding_url", "https://geocoding-api.open-meteo.com", func(c *Config) *string { return &c.Weather.GeocodingURL }),
	{"server.hosts", "", "host names separated by commas, such as fusebox.example.org", func(c *Config, text string) bool {
		c.Hosts = list(text)
		return true
	}},
	{"server.trusted_proxies", "", "addresses and networks separated by commas, such as 127.0.0.1, 10.0.0.0/8", func(c *Config, text string) (ok bool) {
		c.TrustedProxies, ok = networks(text)
		return ok
	}},
	numberKey("server.requests_per_second", "1000", 1, 1_000_000, func(c *Config) *int { return &c.RequestsPerSecond }),
	boolKey("server.secure_cookies", "false", func(c *Config) *bool { return &c.SecureCookies }),
})

func guardKeys() []key {
	var all []key
	for _, n := range agent.GuardNumbers {
		all = append(all, key{n.Key, n.Fallback, n.Allowed(), func(c *Config, text string) bool { return n.Set(&c.Guard, text) == nil }})
	}
	return all
}

func sandboxKeys() []key {
	number := func(path string, usual, lo, hi int64, field func(*sandbox.Limits) *int64) key {
		return numberKey(path, strconv.FormatInt(usual, 10), lo, hi, func(c *Config) *int64 { return field(&c.Sandbox) })
	}
	const most = 1 << 44 // 16 TB
	return []key{
		number("sandbox.max_memory", sandbox.Usual.Memory, 128<<20, most, func(l *sandbox.Limits) *int64 { return &l.Memory }),
		number("sandbox.max_processes", sandbox.Usual.Processes, 32, 1<<20, func(l *sandbox.Limits) *int64 { return &l.Processes }),
		number("sandbox.max_file", sandbox.Usual.FileSize, 1<<20, most, func(l *sandbox.Limits) *int64 { return &l.FileSize }),
		number("sandbox.max_workspace", sandbox.Usual.Folder, 1<<20, most, func(l *sandbox.Limits) *int64 { return &l.Folder }),
		number("sandbox.max_temp", sandbox.Usual.Temp, 1<<20, most, func(l *sandbox.Limits) *int64 { return &l.Temp }),
		durationKey("sandbox.max_cpu", "1h", time.Second, 1000*time.Hour, func(c *Config) *time.Duration { return &c.Sandbox.CPU }),
	}
}

// networks reads a list of addresses and networks; an address is the network of its own.
func networks(text string) (all []netip.Prefix, ok bool) {
	for _, item := range list(text) {
		if a, err := netip.ParseAddr(item); err == nil {
			a = a.Unmap().WithZone("")
			all = append(all, netip.PrefixFrom(a, a.BitLen()))
			continue
		}
		n, err := netip.ParsePrefix(item)
		if err != nil {
			return nil, false
		}
		all = append(all, n.Masked())
	}
	return all, true
}
