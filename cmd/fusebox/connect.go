package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/agent/demo"
	"fusebox/agent/guards"
	"fusebox/agent/loop"
	"fusebox/agent/policy"
	"fusebox/agent/prices"
	"fusebox/agent/provider"
	"fusebox/agent/safehttp"
	"fusebox/agent/tools"
	"fusebox/store"
)

// outside is what the program reaches beyond itself.
type outside struct {
	models *provider.Router
	tools  *tools.Registry
}

// connect makes the models' endpoints and the tools. Without an endpoint the
// demo model and the sample weather answer, over loopback like real ones.
func connect(ctx context.Context, c *config, log *slog.Logger, raw func(agent.Exchange)) (*outside, error) {
	if c.usesDemo() {
		if err := startDemo(ctx, c); err != nil {
			return nil, err
		}
		log.Info("no endpoint is configured: the demo model answers")
	}
	router, err := c.newRouter(log, raw)
	if err != nil {
		return nil, err
	}
	router.Refresh(ctx) // a server whose endpoints are down starts all the same
	c.model = defaultModel(c.model, router.Models())
	out := &outside{models: router}
	out.tools, err = newTools(c, log)
	return out, err
}

// defaultModel is the configured model, else the first that is there.
func defaultModel(configured string, models []agent.ModelInfo) string {
	switch {
	case configured != "":
		return configured
	case len(models) > 0:
		return models[0].ID
	default:
		return "default"
	}
}

// newRouter makes the endpoints: the one of flags and environment first, which
// has no name, then those of the configuration file.
func (c config) newRouter(log *slog.Logger, raw func(agent.Exchange)) (*provider.Router, error) {
	var endpoints []*provider.Provider
	if c.hasEndpoint() {
		p, err := c.newEndpoint(providerTable{BaseURL: pick(c.baseURL, provider.DefaultBaseURL), key: c.apiKey, Models: c.ownModels()}, log, raw)
		if err != nil {
			return nil, usagef("endpoint (-base-url, OPENAI_BASE_URL): %v", err)
		}
		endpoints = append(endpoints, p)
	}
	for i, table := range c.providers {
		p, err := c.newEndpoint(table, log, raw)
		if err != nil {
			return nil, usagef("providers[%d] (%s): %v", i, table.Name, err)
		}
		endpoints = append(endpoints, p)
	}
	return provider.NewRouter(endpoints, c.modelCfg.fallback)
}

// ownModels are the models of the endpoint without a name that are known
// before it is asked: the demo model's, and the default one.
func (c config) ownModels() []modelTable {
	if len(c.demoModels) > 0 {
		return c.demoModels
	}
	if c.model == "" || slices.ContainsFunc(c.providers, func(p providerTable) bool { return strings.HasPrefix(c.model, p.Name+"/") }) {
		return nil
	}
	return []modelTable{{Name: c.model}}
}

func (c config) newEndpoint(t providerTable, log *slog.Logger, raw func(agent.Exchange)) (*provider.Provider, error) {
	client, err := clientFor(0, t.BaseURL)
	if err != nil {
		return nil, err
	}
	models := make([]provider.Model, len(t.Models))
	for i, m := range t.Models {
		models[i] = m.model()
	}
	return provider.New(provider.Config{
		Name: t.Name, BaseURL: t.BaseURL, APIKey: t.key, KeyHeader: t.KeyHeader, Headers: t.Headers, Family: family(t.Family),
		Models: models, Window: c.modelCfg.window, HTTPClient: client,
		Retry:       provider.RetryConfig{Max: c.retry.max, Base: c.retry.base, Cap: c.retry.cap},
		IdleTimeout: c.modelCfg.idleTimeout, FirstByteTimeout: c.modelCfg.firstByteTimeout,
		Raw: raw, Clock: systemClock{}, Logger: log,
	})
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
	c.demoModels = []modelTable{{Name: demo.Model}}
	for _, f := range demo.Families() {
		m := modelTable{Name: demo.Model + ":" + string(f), Family: string(f)}
		c.demoModels = append(c.demoModels, m)
		c.prices[m.Name] = demoPrice
	}
	if c.model == "" {
		c.model = demo.Model
	}
	c.weather.forecastURL = "http://" + listener.Addr().String()
	c.weather.geocodingURL = c.weather.forecastURL
	return nil
}

func newLoop(c config, log *slog.Logger, db *store.Store, out *outside, book *prices.Book) *loop.Loop {
	return &loop.Loop{
		Journal: db, Provider: out.models, Counter: out.models, Tools: out.tools, Policy: policy.New(c.policy.rules...),
		Guards: guards.All, Streams: guards.Streams, Judge: guards.ModelJudge{}, RiskJudge: policy.ModelJudge{}, Reminder: guards.Reminder, Clock: systemClock{}, NewID: newID, Log: log,
		Settings: loop.LoopSettings{
			Guards: c.guard, Parallel: c.tool.parallel, MaxOutput: c.modelCfg.maxOutput, ApprovalTimeout: c.approval.timeout,
			RiskModel: c.policy.judgeModel,
			Price:     func(model string) (agent.Price, bool) { return book.Price(model, time.Now()) },
			Window:    out.models.Window, CompactAt: c.modelCfg.compactAt, Output: agent.OutputMode(c.modelCfg.output),
		},
	}
}
