package main

import (
	"cmp"
	"log/slog"

	"fusebox/agent"
	"fusebox/agent/provider"
	"fusebox/agent/safehttp"
	"fusebox/cmd/fusebox/config"
)

// newEndpoints makes the endpoints of the configuration: the one of flags and environment
// first, which has no name, then those of the configuration file.
func newEndpoints(c config.Config, log *slog.Logger, raw func(agent.Exchange)) ([]*provider.Provider, error) {
	var endpoints []*provider.Provider
	if c.HasEndpoint() {
		p, err := newProvider(c, config.Provider{BaseURL: cmp.Or(c.BaseURL, provider.DefaultBaseURL), Key: c.APIKey, Models: c.OwnModels()}, log, raw)
		if err != nil {
			return nil, usagef("endpoint (-base-url, OPENAI_BASE_URL): %v", err)
		}
		endpoints = append(endpoints, p)
	}
	for i, table := range c.Providers {
		p, err := newProvider(c, table, log, raw)
		if err != nil {
			return nil, usagef("providers[%d] (%s): %v", i, table.Name, err)
		}
		endpoints = append(endpoints, p)
	}
	return endpoints, nil
}

// maxIdleModels bounds the connections that are kept to one endpoint: a first
// word is not to wait for a handshake, and idle connections cost memory.
const maxIdleModels = 256

func newProvider(c config.Config, t config.Provider, log *slog.Logger, raw func(agent.Exchange)) (*provider.Provider, error) {
	client, err := clientWith(safehttp.Options{Idle: min(c.Run.Parallel, maxIdleModels)}, t.BaseURL)
	if err != nil {
		return nil, err
	}
	models := make([]provider.Model, len(t.Models))
	for i, m := range t.Models {
		models[i] = m.Model()
	}
	return provider.New(provider.Config{
		Name: t.Name, BaseURL: t.BaseURL, APIKey: t.Key, KeyHeader: t.KeyHeader, Headers: t.Headers, Family: config.FamilyOf(t.Family),
		Models: models, Window: c.Model.Window, HTTPClient: client,
		Retry: provider.RetryConfig{
			Max: c.Retry.Max, Base: c.Retry.Base, Cap: c.Retry.Cap, Fallbacks: c.Retry.Fallbacks, ContinuePrompt: c.Retry.ContinuePrompt,
		},
		IdleTimeout: c.Model.IdleTimeout, FirstByteTimeout: c.Model.FirstByteTimeout,
		Raw: raw, Clock: agent.SystemClock{}, Logger: log,
	})
}
