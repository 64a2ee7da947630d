package config

import (
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

// key is one setting of the configuration file. Every key is also settable as
// FUSEBOX_ and its path in upper case with underscores.
type key struct {
	path, fallback string
	allowed        string // for people: the allowed values
	set            func(c *Config, text string) bool
}

// keys are all settings with their defaults. A new one is one row here and one
// in docs/configuration.md.
var keys = slices.Concat(guardKeys(), notifyKeys(), alertKeys(), telemetryKeys(), webKeys(), sandboxKeys(), []key{
	{"guard.off", "", "names of detectors separated by commas, such as chanting, cycle", func(c *Config, text string) bool {
		c.Guard.Off = list(text)
		return !slices.ContainsFunc(c.Guard.Off, func(name string) bool { return !guards.Known(name) })
	}},
	{"guard.judge_model", "", "the name of a model of the endpoint; empty switches the judge off", func(c *Config, text string) bool {
		c.Guard.JudgeModel = text
		return true
	}},
	int64Key("budget.run_cost_micros", "0", 0, 1_000_000_000_000, func(c *Config) *int64 { return &c.RunCost }),
	intKey("retry.max", "10", 0, 100, func(c *Config) *int { return &c.Retry.Max }),
	durationKey("retry.base", "500ms", time.Millisecond, time.Hour, func(c *Config) *time.Duration { return &c.Retry.Base }),
	durationKey("retry.cap", "30s", time.Millisecond, time.Hour, func(c *Config) *time.Duration { return &c.Retry.Cap }),
	intKey("retry.fallbacks", "3", 1, 20, func(c *Config) *int { return &c.Retry.Fallbacks }),
	textKey("retry.continue_prompt", provider.DefaultContinuePrompt, 2000, func(c *Config) *string { return &c.Retry.ContinuePrompt }),
	int64Key("budget.run_tokens", "200000", 1, 1_000_000_000, func(c *Config) *int64 { return &c.RunTokens }),
	{"budget.time_zone", "UTC", "the name of a time zone, such as UTC or Europe/Berlin", func(c *Config, text string) bool {
		var err error
		c.Zone, err = time.LoadLocation(text)
		return err == nil && text != "" && text != "Local"
	}},
	int64Key("budget.conversation_tokens", "0", 0, 1_000_000_000_000, func(c *Config) *int64 { return &c.ConversationTokens }),
	intKey("run.parallel", "1000", 1, 100_000, func(c *Config) *int { return &c.Run.Parallel }),
	intKey("run.parallel_per_user", "8", 1, 100_000, func(c *Config) *int { return &c.Run.PerUser }),
	durationKey("model.idle_timeout", "60s", 10*time.Millisecond, time.Hour, func(c *Config) *time.Duration { return &c.Model.IdleTimeout }),
	durationKey("model.first_byte_timeout", "0s", 0, time.Hour, func(c *Config) *time.Duration { return &c.Model.FirstByteTimeout }),
	int64Key("model.max_output_tokens", "8192", 256, 1_000_000, func(c *Config) *int64 { return &c.Model.MaxOutput }),
	int64Key("model.context_window", "0", 0, 100_000_000, func(c *Config) *int64 { return &c.Model.Window }),
	intKey("model.compact_at", "80", 0, 95, func(c *Config) *int { return &c.Model.CompactAt }),
	{"model.fallback", "", "names of models separated by commas, such as openrouter/gpt-5", func(c *Config, text string) bool {
		c.Model.Fallback = list(text)
		return true
	}},
	choiceKey("model.output_mode", "token", agent.OutputModes(), func(c *Config) *string { return &c.Model.Output }),
	boolKey("provider.raw_log", "false", func(c *Config) *bool { return &c.Model.RawLog }),
	durationKey("tool.timeout", "60s", 10*time.Millisecond, 24*time.Hour, func(c *Config) *time.Duration { return &c.Tool.Timeout }),
	intKey("tool.parallel", "8", 1, 256, func(c *Config) *int { return &c.Tool.Parallel }),
	intKey("tool.in_view", "20", 10, 1000, func(c *Config) *int { return &c.Tool.InView }),
	{"tool.instructions", "", "a folder", func(c *Config, text string) bool {
		c.Tool.Instructions = text
		return true
	}},
	intKey("tool.output_limit", "32768", 1024, 16<<20, func(c *Config) *int { return &c.Tool.OutputLimit }),
	choiceKey("tool.sandbox", "auto", []string{"auto", "required", "off"}, func(c *Config) *string { return &c.Tool.Sandbox }),
	int64Key("files.max_bytes", "26214400", 1024, 4<<30, func(c *Config) *int64 { return &c.Files.File }),
	int64Key("files.max_workspace", "209715200", 1024, 1<<40, func(c *Config) *int64 { return &c.Files.Workspace }),
	durationKey("approval.timeout", "24h", time.Second, 365*24*time.Hour, func(c *Config) *time.Duration { return &c.Approval.Timeout }),
	choiceKey("approval.on_timeout", "park", []string{"park", "reject", "abort"}, func(c *Config) *string { return &c.Approval.OnTimeout }),
	intKey("approval.open_per_user", "256", 0, 100_000, func(c *Config) *int { return &c.Approval.PerUser }),
	durationKey("approval.undo_window", "0s", 0, time.Hour, func(c *Config) *time.Duration { return &c.Approval.UndoWindow }),
	{"approval.escalate_to", "admins", "admins, reviewers, or an e-mail address", func(c *Config, text string) bool {
		c.Approval.EscalateTo = text
		return text == string(agent.ToAdmins) || text == string(agent.ToReviewers) || strings.Count(text, "@") == 1
	}},
	boolKey("policy.owner_may_confirm", "true", func(c *Config) *bool { return &c.Policy.OwnerMayConfirm }),
	{"policy.judge_model", "", "the name of a model; empty switches the risk judge off", func(c *Config, text string) bool {
		c.Policy.JudgeModel = text
		return true
	}},
	boolKey("policy.four_eyes", "false", func(c *Config) *bool { return &c.Policy.FourEyes }),
	durationKey("demo.delay", demo.DefaultDelay.String(), 0, time.Minute, func(c *Config) *time.Duration { return &c.Demo.Delay }),
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
	intKey("server.requests_per_second", "1000", 1, 1_000_000, func(c *Config) *int { return &c.RequestsPerSecond }),
	boolKey("server.secure_cookies", "false", func(c *Config) *bool { return &c.SecureCookies }),
})

// list reads names separated by commas or spaces.
func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// guardKeys are the numbers of the breakers.
func guardKeys() []key {
	var all []key
	for _, n := range agent.GuardNumbers {
		all = append(all, key{n.Key, n.Fallback, n.Allowed(), func(c *Config, text string) bool { return n.Set(&c.Guard, text) == nil }})
	}
	return all
}

func keyPaths() []string {
	paths := []string{"prices.MODEL", "providers", rulesKey, serversKey, commandsKey}
	for _, k := range keys {
		paths = append(paths, k.path)
	}
	slices.Sort(paths)
	return paths
}

// envName is the environment variable of a key.
func (k key) envName() string {
	return "FUSEBOX_" + strings.ToUpper(strings.ReplaceAll(k.path, ".", "_"))
}

// load takes a key's value from the environment, the file or its default.
func (k key) load(c *Config, f fileValues, env map[string]string) error {
	src := source{"default", k.fallback}
	if v, ok := f.values[k.path]; ok {
		f.used[k.path] = true
		src = source{"config file " + f.path + ", key " + k.path, listOrText(v)}
	}
	if v := env[k.envName()]; v != "" {
		src = source{"environment variable " + k.envName(), v}
	}
	if !k.set(c, src.value) {
		if slices.Contains(secretKeys, k.path) {
			return Errorf("%s: the value is not allowed; allowed: %s", src.where, k.allowed)
		}
		return Errorf("%s: %q is not allowed; allowed: %s", src.where, src.value, k.allowed)
	}
	return nil
}

// listOrText writes a value of the file as the environment would hold it.
func listOrText(v any) string {
	list, ok := v.([]any)
	if !ok {
		return dump(v)
	}
	parts := make([]string, len(list))
	for i, p := range list {
		parts[i] = dump(p)
	}
	return strings.Join(parts, ",")
}

// sandboxKeys are the limits of programs that tools start.
func sandboxKeys() []key {
	number := func(path string, usual, lo, hi int64, field func(*sandbox.Limits) *int64) key {
		return int64Key(path, strconv.FormatInt(usual, 10), lo, hi, func(c *Config) *int64 { return field(&c.Sandbox) })
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
