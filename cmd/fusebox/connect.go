package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"time"

	"fusebox/agent"
	"fusebox/agent/demo"
	"fusebox/agent/guards"
	"fusebox/agent/policy"
	"fusebox/agent/provider"
	"fusebox/agent/safehttp"
	"fusebox/agent/tools"
	"fusebox/store"
)

// outside is what the program reaches beyond itself.
type outside struct {
	provider *provider.Provider
	models   []string
	tools    *tools.Registry
}

// modelsTimeout bounds the question which models an endpoint has; a server
// whose endpoint is down starts all the same.
const modelsTimeout = 3 * time.Second

// connect makes the model's endpoint and the tools. Without an endpoint the
// demo model and the sample weather answer, over loopback like real ones.
func connect(ctx context.Context, c *config, log *slog.Logger) (*outside, error) {
	if c.usesDemo() {
		if err := startDemo(ctx, c); err != nil {
			return nil, err
		}
		log.Info("no endpoint is configured: the demo model answers")
	}
	if c.baseURL == "" {
		c.baseURL = provider.DefaultBaseURL
	}
	client, err := clientFor(0, c.baseURL)
	if err != nil {
		return nil, err
	}
	p, err := provider.New(provider.Config{
		BaseURL: c.baseURL, APIKey: c.apiKey, HTTPClient: client,
		Retry:       provider.RetryConfig{Max: c.retry.max, Base: c.retry.base, Cap: c.retry.cap},
		IdleTimeout: c.modelCfg.idleTimeout, FirstByteTimeout: c.modelCfg.firstByteTimeout,
		Clock: systemClock{}, Logger: log,
	})
	if err != nil {
		return nil, usagef("endpoint (-base-url, OPENAI_BASE_URL): %v", err)
	}
	out := &outside{provider: p}
	out.models = chooseModels(ctx, c, p, log)
	out.tools, err = newTools(c, log)
	return out, err
}

// chooseModels asks the endpoint for its models and settles the default.
func chooseModels(ctx context.Context, c *config, p *provider.Provider, log *slog.Logger) []string {
	ctx, cancel := context.WithTimeout(ctx, modelsTimeout)
	defer cancel()
	models, err := p.Models(ctx)
	if err != nil {
		log.Warn("the endpoint does not list its models; set -model", "error", err)
	}
	if c.model == "" && len(models) > 0 {
		c.model = models[0]
	}
	if c.model == "" {
		c.model = "default"
	}
	if !slices.Contains(models, c.model) {
		models = append([]string{c.model}, models...)
	}
	return models
}

func newTools(c *config, log *slog.Logger) (*tools.Registry, error) {
	client, err := clientFor(c.tool.timeout, c.weather.forecastURL, c.weather.geocodingURL)
	if err != nil {
		return nil, err
	}
	return tools.New(tools.Config{
		DataDir: c.data, HTTPClient: client, ForecastURL: c.weather.forecastURL, GeocodingURL: c.weather.geocodingURL,
		Timeout: c.tool.timeout, OutputLimit: c.tool.outputLimit, Clock: systemClock{}, Logger: log,
	})
}

// clientFor makes a client that may reach, besides the public internet, the
// given configured addresses, be they private.
func clientFor(timeout time.Duration, urls ...string) (*http.Client, error) {
	var allow []string
	for _, u := range urls {
		origin, err := safehttp.Origin(u)
		if err != nil {
			return nil, usagef("%q is no address: %v", u, err)
		}
		allow = append(allow, origin)
	}
	return safehttp.New(safehttp.Options{Allow: allow, Timeout: timeout}), nil
}

// startDemo serves the demo model and the sample weather until ctx ends.
func startDemo(ctx context.Context, c *config) error {
	model, err := demo.Listen(context.WithoutCancel(ctx), "127.0.0.1:0", demo.Options{Delay: demo.DefaultDelay})
	if err != nil {
		return fmt.Errorf("start the demo model: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("start the sample weather: %w", err)
	}
	weather := &http.Server{Handler: tools.SampleWeather(), ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout}
	go func() { _ = weather.Serve(listener) }() // ends with the process
	c.baseURL = model.BaseURL()
	if c.model == "" {
		c.model = demo.Model
	}
	c.weather.forecastURL = "http://" + listener.Addr().String()
	c.weather.geocodingURL = c.weather.forecastURL
	return nil
}

func newLoop(c config, log *slog.Logger, db *store.Store, out *outside) *agent.Loop {
	return &agent.Loop{
		Journal: db, Provider: out.provider, Counter: out.provider, Tools: out.tools, Policy: policy.New(),
		Guards: guards.All, Streams: guards.Streams, Judge: guards.ModelJudge{}, Reminder: guards.Reminder, Clock: systemClock{}, NewID: newID, Log: log,
		Settings: agent.LoopSettings{
			Guards: c.guard, Parallel: c.tool.parallel, MaxOutput: c.modelCfg.maxOutput, ApprovalTimeout: c.approval.timeout,
			Price: func(model string) agent.Price { return c.prices[model] },
		},
	}
}
