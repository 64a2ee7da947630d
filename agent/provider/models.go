package provider

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"fusebox/agent"
	"fusebox/agent/provider/models"
	"fusebox/agent/provider/wire"
)

// The bounds of a list of models.
const (
	modelsTimeout = 15 * time.Second
	maxModelsBody = 16 << 20
)

// Models asks the endpoint which models it has, once, without retries. Its
// errors are *agent.ProviderError, or the cause of a cancelled context.
func (p *Provider) Models(ctx context.Context) ([]models.Model, error) {
	tryCtx, cancel := context.WithTimeout(ctx, modelsTimeout)
	defer cancel()
	list, err := p.fetchModels(tryCtx)
	if err == nil {
		sight := make(map[string]bool, len(list))
		for _, m := range list {
			sight[m.ID] = m.Vision
		}
		p.sight.Store(&sight)
		return list, nil
	}
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return nil, context.Cause(ctx)
	}
	var f *wire.Failure
	if !errors.As(err, &f) {
		f = transportFailure(err)
	}
	return nil, p.giveUp(p.secrets.Polish(f), 1)
}

func (p *Provider) fetchModels(ctx context.Context) ([]models.Model, error) {
	var res *http.Response
	if err := p.get(ctx, "models", nil, &res); err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxModelsBody))
	if err != nil {
		return nil, err
	}
	return models.Read(body)
}

// messageOf is the sentence for people of an error of this package.
func messageOf(err error) string {
	if failed, ok := errors.AsType[*agent.ProviderError](err); ok {
		return failed.Message
	}
	return "did not answer in time"
}

// catalog holds the latest answers of endpoints about their models.
type catalog struct {
	mu    sync.Mutex
	lists map[*Provider]endpointList
}

type endpointList struct {
	models  []models.Model
	windows map[string]int64 // by the name that people know
	problem string
}

// Refresh asks all endpoints for their models, at the same time. One that does
// not answer keeps the models it had.
func (r *Router) Refresh(ctx context.Context) {
	r.refresh(ctx, func(endpointList) bool { return true })
}

// RefreshFailed asks those again that did not list their models the last time.
func (r *Router) RefreshFailed(ctx context.Context) {
	r.refresh(ctx, func(l endpointList) bool { return l.problem != "" })
}

// RefreshNew asks those that were not asked yet.
func (r *Router) RefreshNew(ctx context.Context) {
	r.refresh(ctx, func(l endpointList) bool { return l.models == nil && l.problem == "" })
}

func (r *Router) refresh(ctx context.Context, due func(endpointList) bool) {
	ctx, cancel := context.WithTimeout(ctx, refreshTimeout)
	defer cancel()
	var group sync.WaitGroup
	for _, p := range r.endpoints() {
		before := r.catalog.of(p)
		if !due(before) {
			continue
		}
		group.Go(func() {
			listed, err := p.Models(ctx)
			if !slices.Contains(r.endpoints(), p) {
				return // another one has taken its place meanwhile
			}
			r.catalog.put(p, listed, err)
			switch {
			case err == nil && before.problem != "":
				r.log.InfoContext(ctx, "an endpoint lists its models again", "endpoint", p.name, "models", len(listed))
			case err != nil && messageOf(err) != before.problem: // else it was logged before
				r.log.WarnContext(ctx, "an endpoint does not list its models", "endpoint", p.name, "error", err)
			}
		})
	}
	group.Wait()
}

func (c *catalog) put(p *Provider, listed []models.Model, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lists == nil {
		c.lists = make(map[*Provider]endpointList)
	}
	l := c.lists[p]
	if l.problem = ""; err != nil {
		l.problem = messageOf(err)
	} else {
		l.models, l.windows = listed, make(map[string]int64, len(listed))
		for _, model := range listed {
			l.windows[p.idOf(model.ID)] = model.Window
		}
	}
	c.lists[p] = l
}

// keep forgets what endpoints said that are not offered any more.
func (c *catalog) keep(offered []*Provider) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.lists, func(p *Provider, _ endpointList) bool { return !slices.Contains(offered, p) })
}

func (c *catalog) of(p *Provider) endpointList {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lists[p]
}

func (c *catalog) window(id string) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.lists {
		if window, listed := l.windows[id]; listed {
			return window
		}
	}
	return 0
}

// Models are all models of all endpoints: the configured ones of each first,
// then what it lists.
func (r *Router) Models() []agent.ModelInfo {
	var all []agent.ModelInfo
	for _, p := range r.endpoints() {
		list := r.catalog.of(p)
		for _, m := range p.models {
			all = append(all, p.info(m, list))
		}
		for _, l := range list.models {
			if !slices.ContainsFunc(p.models, func(m Model) bool { return m.Name == l.ID }) {
				info := p.info(Model{Name: l.ID, Window: l.Window, Vision: l.Vision}, endpointList{})
				info.NoChat = l.NoChat
				all = append(all, info)
			}
		}
	}
	return all
}

// Endpoints returns the status of each endpoint.
func (r *Router) Endpoints() []agent.EndpointInfo {
	var all []agent.EndpointInfo
	for _, p := range r.endpoints() {
		l := r.catalog.of(p)
		all = append(all, agent.EndpointInfo{
			Name: p.name, Address: p.address, Family: string(p.family), Models: len(l.models), Problem: l.problem,
			Open: p.breaker.open(r.clock.Now()),
		})
	}
	return all
}

func (p *Provider) info(m Model, list endpointList) agent.ModelInfo {
	if i := slices.IndexFunc(list.models, func(l models.Model) bool { return l.ID == m.Name }); i >= 0 {
		m.Window, m.Vision = cmp.Or(m.Window, list.models[i].Window), m.Vision || list.models[i].Vision
	}
	family := m.Family
	if family == Plain {
		family = p.family
	}
	return agent.ModelInfo{
		ID: p.idOf(m.Name), Endpoint: p.name, Family: string(family), Window: cmp.Or(m.Window, p.window),
		Vision: m.Vision, Thinking: m.Thinking, Whole: m.WholeWithTools,
	}
}

// listsSight reports whether a model sees by the endpoint's list, or, as long as it is in
// none, by its name.
func (p *Provider) listsSight(name string) bool {
	if list := p.sight.Load(); list != nil {
		if sees, listed := (*list)[name]; listed {
			return sees
		}
	}
	return models.NamesSight(name)
}

// sees reports whether a model is sent pictures. What is configured or listed counts more
// than its name, and what it has refused most.
func (p *Provider) sees(m Model) bool {
	return m.Vision && !slices.Contains(p.capabilities.of(m.Name, p.clock.Now()), noImages.name)
}
