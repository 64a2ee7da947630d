package main

import (
	"cmp"
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"fusebox/agent"
	"fusebox/agent/demo"
	"fusebox/agent/provider"
	"fusebox/agent/safehttp"
	"fusebox/agent/seal"
	"fusebox/cmd/fusebox/config"
)

// keyFile has the key with which the keys of connected endpoints are sealed. It is beside
// the database and in no backup.
const keyFile = "secret.key"

// outlet is what models are reached through: the endpoints of the configuration, those
// that admins have connected, and the demo model as long as there is none of either.
type outlet struct {
	config config.Config
	log    *slog.Logger
	raw    func(agent.Exchange)
	sealer *seal.Sealer
	// own are those of the configuration, or the demo model.
	own    []*provider.Provider
	router *provider.Router

	mu        sync.Mutex
	connected map[string]connected
	names     []string
	onlyDemo  bool
}

type connected struct {
	version int64
	p       *provider.Provider
}

// newOutlet makes the endpoints of the configuration and uses the connected ones.
func newOutlet(ctx context.Context, c config.Config, log *slog.Logger, all []agent.Connection, raw func(agent.Exchange)) (*outlet, error) {
	// The endpoint of flags and environment is the first, and has no name.
	var own []*provider.Provider
	if c.HasEndpoint() {
		p, err := newProvider(c, config.Provider{BaseURL: cmp.Or(c.BaseURL, provider.DefaultBaseURL), Key: c.APIKey, Models: c.OwnModels()}, log, raw)
		if err != nil {
			return nil, usagef("endpoint (-base-url, OPENAI_BASE_URL): %v", err)
		}
		own = append(own, p)
	}
	for i, table := range c.Providers {
		p, err := newProvider(c, table, log, raw)
		if err != nil {
			return nil, usagef("providers[%d] (%s): %v", i, table.Name, err)
		}
		own = append(own, p)
	}
	o := &outlet{config: c, log: log, raw: raw, own: own, sealer: seal.New(filepath.Join(c.Data, keyFile))}
	return o, o.UseConnections(ctx, all)
}

func anyConnected(all []agent.Connection) bool {
	return slices.ContainsFunc(all, func(c agent.Connection) bool { return !c.Removed })
}

func (o *outlet) demo() bool { return len(o.config.DemoModels) > 0 }

// ConfiguredEndpoints implements service.Outlet.
func (o *outlet) ConfiguredEndpoints() []string {
	if o.demo() {
		return nil
	}
	var names []string
	if o.config.HasEndpoint() {
		names = append(names, "")
	}
	for _, p := range o.config.Providers {
		names = append(names, p.Name)
	}
	return names
}

// DemoModel implements service.Outlet.
func (o *outlet) DemoModel() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.onlyDemo {
		return demo.Model
	}
	return ""
}

// Names are those before the slash in the names of models, of endpoints that were removed too.
func (o *outlet) Names() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.names
}

// UseConnections implements service.Outlet. A connection that has not changed keeps what
// is known of it. One that the configuration has under the same name is not used.
func (o *outlet) UseConnections(ctx context.Context, all []agent.Connection) error {
	served, next, names := provider.Endpoints{}, map[string]connected{}, o.ConfiguredEndpoints()
	for _, c := range all {
		if slices.Contains(names, c.Name) {
			continue
		}
		p, err := o.endpointOf(c)
		if err != nil {
			return err
		}
		next[c.Name], names = connected{c.Version, p}, append(names, c.Name)
		if c.Removed {
			served.Kept = append(served.Kept, p)
		} else {
			served.Offered = append(served.Offered, p)
		}
	}
	onlyDemo := o.demo() && len(served.Offered) == 0
	if o.demo() && !onlyDemo {
		served.Kept = append(served.Kept, o.own...) // for the chats that began with it
	} else {
		served.Offered = slices.Concat(o.own, served.Offered)
	}
	if o.router == nil {
		router, err := provider.NewRouter(served, o.config.Model.Fallback)
		if err != nil {
			return err
		}
		o.router = router
	} else {
		o.router.Serve(served)
	}
	o.mu.Lock()
	o.connected, o.names, o.onlyDemo = next, names, onlyDemo
	o.mu.Unlock()
	o.router.RefreshNew(ctx)
	return nil
}

// endpointOf is the endpoint of a connection: the one that is in use, or a new one.
func (o *outlet) endpointOf(c agent.Connection) (*provider.Provider, error) {
	o.mu.Lock()
	old := o.connected[c.Name]
	o.mu.Unlock()
	if old.p != nil && old.version == c.Version {
		return old.p, nil
	}
	if c.Removed {
		return provider.Unusable(c.Name, "", provider.ErrRemoved, o.log)
	}
	key := ""
	if c.SealedKey != "" {
		var err error
		if key, err = o.sealer.Open(c.SealedKey, c.Origin()); err != nil {
			o.log.Warn("the key of a connected endpoint cannot be read", "endpoint", c.Name, "error", err)
			return provider.Unusable(c.Name, c.BaseURL, provider.ErrKeyLost, o.log)
		}
	}
	return newProvider(o.config, config.Provider{Name: c.Name, BaseURL: c.BaseURL, Key: key}, o.log, o.raw)
}

// InspectEndpoint implements service.Outlet.
func (o *outlet) InspectEndpoint(ctx context.Context, c agent.Connection, key string, choose func([]string) string) agent.EndpointReport {
	report, err := o.inspect(ctx, c, key, choose)
	if err != nil {
		return agent.EndpointReport{Fault: agent.FaultAddress, Said: "The address cannot be used."}
	}
	if report.Fault != agent.FaultAddress && report.Fault != agent.FaultNotModels {
		return report
	}
	better := c
	if better.BaseURL = withV1(c.BaseURL); better.BaseURL == c.BaseURL {
		return report
	}
	if there, err := o.inspect(ctx, better, key, choose); err == nil && there.Fault == "" {
		report.Better = better.BaseURL
	}
	return report
}

func (o *outlet) inspect(ctx context.Context, c agent.Connection, key string, choose func([]string) string) (agent.EndpointReport, error) {
	p, err := newProvider(o.config, config.Provider{Name: c.Name, BaseURL: c.BaseURL, Key: key}, o.log, nil)
	if err != nil {
		return agent.EndpointReport{}, err
	}
	return p.Inspect(ctx, choose), nil
}

// withV1 is an address with the path at which most servers have the API.
func withV1(address string) string {
	path, query, found := strings.Cut(address, "?")
	path = strings.TrimSuffix(path, "/v1") + "/v1"
	if found {
		path += "?" + query
	}
	return path
}

// maxIdleModels bounds the connections that are kept to one endpoint: a first
// word is not to wait for a handshake, and idle connections cost memory.
const maxIdleModels = 256

func newProvider(c config.Config, t config.Provider, log *slog.Logger, raw func(agent.Exchange)) (*provider.Provider, error) {
	client, err := clientFor(safehttp.Options{Idle: min(c.Run.Parallel, maxIdleModels)}, t.BaseURL)
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
