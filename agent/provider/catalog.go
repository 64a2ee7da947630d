package provider

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"fusebox/agent"
)

// catalog is what endpoints said of their models when they were asked last.
type catalog struct {
	mu    sync.Mutex
	lists map[*Provider]endpointList
}

// endpointList is the answer of one endpoint.
type endpointList struct {
	models  []ListedModel
	problem string
}

// Refresh asks all endpoints for their models, at the same time. One that does
// not answer keeps the models it had.
func (r *Router) Refresh(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, refreshTimeout)
	defer cancel()
	var group sync.WaitGroup
	for _, p := range r.endpoints {
		group.Go(func() {
			models, err := p.Models(ctx)
			r.catalog.put(p, models, err)
			if err != nil {
				r.log.WarnContext(ctx, "an endpoint does not list its models", "endpoint", p.name, "error", err)
			}
		})
	}
	group.Wait()
}

func (c *catalog) put(p *Provider, models []ListedModel, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lists == nil {
		c.lists = make(map[*Provider]endpointList)
	}
	l := endpointList{models: models}
	if err != nil {
		l = endpointList{models: c.lists[p].models, problem: messageOf(err)}
	}
	c.lists[p] = l
}

func (c *catalog) of(p *Provider) endpointList {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lists[p]
}

func (c *catalog) window(id string) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	for p, l := range c.lists {
		for _, m := range l.models {
			if p.idOf(m.ID) == id {
				return m.Window
			}
		}
	}
	return 0
}

// Models are all models of all endpoints: the configured ones of each first,
// then what it lists.
func (r *Router) Models() []agent.ModelInfo {
	var all []agent.ModelInfo
	for _, p := range r.endpoints {
		list := r.catalog.of(p)
		for _, m := range p.models {
			all = append(all, p.info(m, list))
		}
		for _, l := range list.models {
			if !slices.ContainsFunc(p.models, func(m Model) bool { return m.Name == l.ID }) {
				all = append(all, p.info(Model{Name: l.ID, Window: l.Window}, list))
			}
		}
	}
	return all
}

// Endpoints returns the status of each endpoint.
func (r *Router) Endpoints() []agent.EndpointInfo {
	var all []agent.EndpointInfo
	for _, p := range r.endpoints {
		l := r.catalog.of(p)
		all = append(all, agent.EndpointInfo{
			Name: p.name, Address: p.address, Family: string(p.family), Models: len(l.models), Problem: l.problem,
			Open: p.breaker.open(r.clock.Now()),
		})
	}
	return all
}

func (p *Provider) info(m Model, list endpointList) agent.ModelInfo {
	if i := slices.IndexFunc(list.models, func(l ListedModel) bool { return l.ID == m.Name }); i >= 0 {
		m.Window = cmp.Or(m.Window, list.models[i].Window)
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
