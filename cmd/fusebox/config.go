package main

import (
	"cmp"
	"time"

	"fusebox/agent"
)

// Config is everything the program can be told from outside.
type Config struct {
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
func (c Config) usesDemo() bool { return !c.hasEndpoint() && len(c.providers) == 0 }

// hasEndpoint reports whether flags or environment name an endpoint.
func (c Config) hasEndpoint() bool { return c.baseURL != "" || c.apiKey != "" }

// source is one place a setting may come from, for error messages.
type source struct{ where, value string }

// loadFrom reads defaults, the configuration file, the environment and the
// flags of a command, in rising order of precedence, and returns the other
// arguments too. Every error is an inputError; the one for -h shows the usage.
func loadFrom(name, usage string, environ, args []string) (Config, []string, error) {
	flags, rest, err := parseFlags(name, usage, args)
	if err != nil {
		return Config{}, nil, err
	}
	env := envMap(environ)
	c := Config{apiKey: env["OPENAI_API_KEY"], adminEmail: env["FUSEBOX_ADMIN_EMAIL"], adminPass: env["FUSEBOX_ADMIN_PASSWORD"]}
	for _, f := range topLevel {
		*f.field(&c) = cmp.Or(flags[f.flag], env[f.env], f.fallback)
	}
	found, err := readFile(c.data, cmp.Or(flags["config"], env["FUSEBOX_CONFIG"], ""))
	if err != nil {
		return Config{}, nil, err
	}
	if c.prices, err = found.prices(); err != nil {
		return Config{}, nil, err
	}
	if c.providers, err = found.providers(env, c.prices); err != nil {
		return Config{}, nil, err
	}
	if c.policy.rules, err = found.policyRules(); err != nil {
		return Config{}, nil, err
	}
	for _, k := range keys {
		if err := k.load(&c, found, env); err != nil {
			return Config{}, nil, err
		}
	}
	if err := c.standard(env); err != nil {
		return Config{}, nil, err
	}
	if err := found.unknown(); err != nil {
		return Config{}, nil, err
	}
	return c, rest, c.check()
}
