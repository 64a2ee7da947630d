package provider

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"fusebox/agent"
	"fusebox/agent/provider/models"
)

// catalog is what endpoints said of their models when they were asked last.
type catalog struct {
	mu    sync.Mutex
	lists map[*Provider]endpointList
}

// endpointList is the answer of one endpoint.
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
		l.models, l.windows = listed, p.windows(listed)
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

// windows are the context windows of models by the name that people know.
func (p *Provider) windows(listed []models.Model) map[string]int64 {
	all := make(map[string]int64, len(listed))
	for _, m := range listed {
		all[p.idOf(m.ID)] = m.Window
	}
	return all
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
				all = append(all, p.listed(l))
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

// listed is what is known of a model that is not configured.
func (p *Provider) listed(l models.Model) agent.ModelInfo {
	info := p.info(Model{Name: l.ID, Window: l.Window, Vision: l.Vision}, endpointList{})
	info.NoChat = l.NoChat
	return info
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
