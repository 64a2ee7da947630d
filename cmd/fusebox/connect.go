package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
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
func connect(ctx context.Context, c *Config, log *slog.Logger, raw func(agent.Exchange)) (*outside, error) {
	if c.usesDemo() {
		if err := startDemo(ctx, c); err != nil {
			return nil, err
		}
		log.Info("no endpoint is configured: the demo model answers")
	}
	router, err := newRouter(*c, log, raw)
	if err != nil {
		return nil, err
	}
	router.Refresh(ctx) // a server whose endpoints are down starts all the same
	c.model = defaultModel(c.model, router.Models())
	out := &outside{models: router}
	out.tools, err = newTools(c, log)
	return out, err
}

func newTools(c *Config, log *slog.Logger) (*tools.Registry, error) {
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
func startDemo(ctx context.Context, c *Config) error {
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

func newLoop(c Config, log *slog.Logger, db *store.Store, out *outside, book *prices.Book) *loop.Loop {
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
