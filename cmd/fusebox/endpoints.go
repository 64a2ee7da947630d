package main

import (
	"cmp"
	"fusebox/agent"
	"fusebox/agent/provider"
	"log/slog"
)

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
func newRouter(c Config, log *slog.Logger, raw func(agent.Exchange)) (*provider.Router, error) {
	var endpoints []*provider.Provider
	if c.hasEndpoint() {
		p, err := newProvider(c, providerTable{BaseURL: cmp.Or(c.baseURL, provider.DefaultBaseURL), key: c.apiKey, Models: c.ownModels()}, log, raw)
		if err != nil {
			return nil, usagef("endpoint (-base-url, OPENAI_BASE_URL): %v", err)
		}
		endpoints = append(endpoints, p)
	}
	for i, table := range c.providers {
		p, err := newProvider(c, table, log, raw)
		if err != nil {
			return nil, usagef("providers[%d] (%s): %v", i, table.Name, err)
		}
		endpoints = append(endpoints, p)
	}
	return provider.NewRouter(endpoints, c.modelCfg.fallback)
}

func newProvider(c Config, t providerTable, log *slog.Logger, raw func(agent.Exchange)) (*provider.Provider, error) {
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
