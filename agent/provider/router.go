package provider

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"fusebox/agent"
	"fusebox/agent/provider/answer"
	"fusebox/agent/provider/wire"
)

// ModelUnavailable is the reason of the fallback to the next model of the chain.
const ModelUnavailable = "model-unavailable"

// Router is several endpoints behind one agent.Provider. A model is named
// ENDPOINT/MODEL, or by its own name at the first endpoint.
//
// Where an endpoint is out of order, or its breaker is open, the next model of
// the chain is asked, as a fallback event. Without another model an open
// breaker changes nothing: the waits between tries are protection enough.
type Router struct {
	served  atomic.Pointer[Endpoints]
	chain   []string
	clock   agent.Clock
	log     *slog.Logger
	catalog catalog
}

// Endpoints are those of a Router. Offered, of which there is at least one, list their
// models; Kept only answer chats that name a model of theirs.
type Endpoints struct{ Offered, Kept []*Provider }

var (
	_ agent.Provider     = (*Router)(nil)
	_ agent.TokenCounter = (*Router)(nil)
	_ agent.Embedder     = (*Router)(nil)
)

// NewRouter makes a Router of at least one endpoint. The chain names the models
// that are asked, in this order, where the wanted one is out of reach.
func NewRouter(e Endpoints, chain []string) (*Router, error) {
	if len(e.Offered) == 0 {
		return nil, errors.New("an endpoint is required")
	}
	r := &Router{chain: chain, clock: e.Offered[0].clock, log: e.Offered[0].log}
	r.served.Store(&e)
	return r, nil
}

// Serve puts other endpoints in the place of all. Calls that are under way end where they began.
func (r *Router) Serve(e Endpoints) {
	r.served.Store(&e)
	r.catalog.keep(e.Offered)
}

func (r *Router) endpoints() []*Provider { return r.served.Load().Offered }

type route struct {
	id    string // as people name it
	p     *Provider
	model string // as the endpoint names it
}

// route finds the endpoint of a model. A name that fits no endpoint belongs to
// the first one, which says so if it does not know it.
func (r *Router) route(id string) route {
	served := r.served.Load()
	for _, all := range [][]*Provider{served.Offered, served.Kept} {
		for _, p := range all {
			if name, ok := strings.CutPrefix(id, p.name+"/"); ok && p.name != "" && name != "" {
				return route{id, p, name}
			}
		}
	}
	for _, p := range served.Kept {
		if p.name == "" && slices.ContainsFunc(p.models, func(m Model) bool { return m.Name == id }) {
			return route{id, p, id}
		}
	}
	return route{id, served.Offered[0], id}
}

// idOf is the name by which people know a model of an endpoint.
func (p *Provider) idOf(model string) string {
	if p.name == "" {
		return model
	}
	return p.name + "/" + model
}

// Complete implements agent.Provider.
func (r *Router) Complete(ctx context.Context, req agent.Request, sink func(agent.Delta) error) (agent.Completion, error) {
	routes := []route{r.route(req.Model)} // the chain follows, each model once
	for _, next := range r.chain {
		if !slices.ContainsFunc(routes, func(k route) bool { return k.id == next }) {
			routes = append(routes, r.route(next))
		}
	}
	out := answer.NewOutput(sink)
	var comp agent.Completion
	for i, k := range routes {
		last := i == len(routes)-1
		var failed *agent.ProviderError
		if last || k.p.breaker.allow(r.clock.Now()) {
			req.Model = k.model
			var err error
			comp, err = k.p.answer(ctx, question{req: req, spent: comp.Spent, next: !last}, out)
			if last || !errors.As(err, &failed) || !elsewhere(err) {
				if !last {
					k.p.breaker.released()
				}
				if i > 0 {
					comp.AnsweredBy = k.id
				}
				return comp, err
			}
			// An endpoint that is out of order is left alone. Where only one model of it fails,
			// the others may be well.
			if f, ok := errors.AsType[*wire.Failure](err); ok && f.Status != http.StatusNotFound && !errors.Is(err, errBrokenChain) {
				k.p.breaker.trip(r.clock.Now())
			} else {
				k.p.breaker.released()
			}
		}
		if err := allow(ctx, &req, routes[i+1].id, comp.Spent); err != nil {
			return comp, err
		}
		if err := r.moveOn(ctx, out, i+1, routes[i+1], failed); err != nil {
			return comp, err
		}
	}
	return comp, errors.New("no model was asked") // there is always a last one
}

// moveOn announces the change to another model and voids what the last one has shown.
func (r *Router) moveOn(ctx context.Context, out *answer.Output, attempt int, to route, failed *agent.ProviderError) error {
	attrs := []any{"next_model", to.id}
	if failed != nil {
		attrs = append(attrs, "error", failed)
	}
	r.log.WarnContext(ctx, "asking the next model of the chain", attrs...)
	if err := out.Reset(); err != nil {
		return err
	}
	return out.Show(agent.Delta{Kind: agent.DeltaFallback, Fallback: agent.FallbackEvent{
		Reason: ModelUnavailable, Attempt: attempt, Model: to.id,
	}})
}

// elsewhere reports whether another endpoint may do better: this one is out of
// order, or does not let us in. What it finds wrong with the request itself
// would be wrong there too.
func elsewhere(err error) bool {
	var f *wire.Failure
	if !errors.As(err, &f) || f.TooLong {
		return false
	}
	switch f.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return false
	}
	return true
}

// CountPrompt implements agent.TokenCounter. What is sent depends on the model.
func (r *Router) CountPrompt(req agent.Request) int64 {
	k := r.route(req.Model)
	req.Model = k.model
	return k.p.CountPrompt(req)
}

// CountText implements agent.TokenCounter.
func (r *Router) CountText(text string) int64 { return r.endpoints()[0].CountText(text) }

// Window is the context window of a model in tokens, 0 if unknown.
func (r *Router) Window(id string) int64 {
	k := r.route(id)
	known, learned := cmp.Or(k.p.model(k.model).Window, r.catalog.window(id), k.p.window), k.p.shares.of(k.model).window
	if known == 0 || learned > 0 && learned < known {
		return learned
	}
	return known
}

// Family is the kind of endpoint that serves a model.
func (r *Router) Family(id string) Family { return r.route(id).p.family }

// Probe sends a model true requests and reports what of it works.
func (r *Router) Probe(ctx context.Context, id string) agent.ModelReport {
	k := r.route(id)
	return k.p.probe(ctx, k.model)
}

// refreshTimeout bounds how long one endpoint may take to list its models.
const refreshTimeout = 3 * time.Second

// Why an endpoint cannot be used.
var (
	ErrRemoved = errors.New("the endpoint was removed")
	ErrKeyLost = errors.New("the key of the endpoint cannot be read")
)

// Unusable is an endpoint that answers nothing but why. Its models stay its own: what
// was meant for them goes to no other endpoint.
func Unusable(name, address string, why error, log *slog.Logger) (*Provider, error) {
	if address == "" {
		address = DefaultBaseURL // nothing is sent there
	}
	return New(Config{Name: name, BaseURL: address, HTTPClient: &http.Client{Transport: never{why}}, Retry: RetryConfig{}, Clock: agent.SystemClock{}, Logger: log})
}

type never struct{ why error }

// RoundTrip fails.
func (n never) RoundTrip(*http.Request) (*http.Response, error) { return nil, n.why }
