package service

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"fusebox/agent"
)

// Connections are the commands about the endpoints that admins connect.
type Connections struct {
	Store  ConnectionStore
	Outlet Outlet
	Sealer Sealer
	Models *Models
	Prices PriceBook
	Clock  agent.Clock
	// using keeps a slow use of older endpoints from taking the place of newer ones.
	using sync.Mutex
}

// Outlet is what models are reached through.
type Outlet interface {
	// ConfiguredEndpoints are those that the configuration names; "" is the one of flags and environment.
	ConfiguredEndpoints() []string
	// DemoModel is the model that answers as long as there is no endpoint, "" where there is one.
	DemoModel() string
	// UseConnections takes the place of those that were used before.
	UseConnections(ctx context.Context, all []agent.Connection) error
	// InspectEndpoint asks an endpoint with a key for its models, and the one that choose names for an answer.
	InspectEndpoint(ctx context.Context, c agent.Connection, key string, choose func([]string) string) agent.EndpointReport
}

// Sealer encrypts secrets so that only this installation can read them, for the owner
// that they were sealed for.
type Sealer interface {
	Seal(secret, owner string) (string, error)
	Open(sealed, owner string) (string, error)
}

// ConnectionInput is what an admin says of an endpoint. A Key that is nil stays as it
// is, "" is none.
type ConnectionInput struct {
	Name    string  `json:"name"`
	BaseURL string  `json:"baseUrl"`
	Key     *string `json:"key"`
	// Version is the one that was seen, 0 for a new endpoint.
	Version int64 `json:"version"`
	// Draft is a key that was typed before, as Connections.Draft has sealed it.
	Draft string `json:"-"`
}

// All are the connected endpoints.
func (s *Connections) All(ctx context.Context) ([]agent.Connection, error) {
	all, err := s.Store.Connections(ctx)
	return slices.DeleteFunc(all, func(c agent.Connection) bool { return c.Removed }), err
}

// One is a connected endpoint, NotFound where there is none of that name.
func (s *Connections) One(ctx context.Context, name string) (agent.Connection, error) {
	all, err := s.All(ctx)
	if err != nil {
		return agent.Connection{}, err
	}
	i := slices.IndexFunc(all, func(c agent.Connection) bool { return c.Name == name })
	if i < 0 {
		return agent.Connection{}, agent.Errorf(agent.NotFound, "There is no such endpoint.")
	}
	return all[i], nil
}

// Configured reports whether the configuration has an endpoint of a name.
func (s *Connections) Configured(name string) bool {
	return slices.Contains(s.Outlet.ConfiguredEndpoints(), name)
}

// Use has the stored endpoints answer.
func (s *Connections) Use(ctx context.Context) error {
	s.using.Lock()
	defer s.using.Unlock()
	all, err := s.Store.Connections(ctx)
	if err != nil {
		return err
	}
	return s.Outlet.UseConnections(ctx, all)
}

// Add connects an endpoint, whose models are offered at once. Invalid for bad fields,
// Conflict for a name that is taken.
func (s *Connections) Add(ctx context.Context, v agent.Viewer, in ConnectionInput) (agent.Connection, error) {
	c, err := s.checked(in)
	if err != nil {
		return c, err
	}
	if s.Configured(c.Name) {
		return c, agent.InvalidField("name", "the configuration has an endpoint named %s; choose another name, or change it there", c.Name)
	}
	taken := func(m agent.ModelInfo) bool { return m.Endpoint != c.Name && strings.HasPrefix(m.ID, c.Name+"/") }
	if slices.ContainsFunc(s.Models.Source.Models(), taken) {
		return c, agent.InvalidField("name", "models of another endpoint begin with %s/ already; choose another name", c.Name)
	}
	if err := s.sealKey(&c, in, agent.Connection{}); err != nil {
		return c, err
	}
	if err := s.Store.AddConnection(ctx, v, c); err != nil {
		return c, err
	}
	return s.used(ctx, c.Name)
}

// Change sets address and key of an endpoint. Its name stays, as its models are named by it.
func (s *Connections) Change(ctx context.Context, v agent.Viewer, in ConnectionInput) (agent.Connection, error) {
	was, err := s.One(ctx, in.Name)
	if err != nil {
		return was, err
	}
	c, err := s.checked(in)
	if err != nil {
		return c, err
	}
	c.Version = in.Version
	if err := s.sealKey(&c, in, was); err != nil {
		return c, err
	}
	if err := s.Store.ChangeConnection(ctx, v, c); err != nil {
		return c, err
	}
	return s.used(ctx, c.Name)
}

// Remove disconnects an endpoint. Chats that use its models can be read, and answer
// again once another model is chosen for them.
func (s *Connections) Remove(ctx context.Context, v agent.Viewer, name string, version int64) error {
	if err := s.Store.RemoveConnection(ctx, v, name, version); err != nil {
		return err
	}
	return s.Use(context.WithoutCancel(ctx))
}

// used has a change take effect, whether or not whoever made it still waits.
func (s *Connections) used(ctx context.Context, name string) (agent.Connection, error) {
	ctx = context.WithoutCancel(ctx)
	if err := s.Use(ctx); err != nil {
		return agent.Connection{}, err
	}
	return s.One(ctx, name)
}

// Test asks an endpoint as it would be after Add, or with a version after Change, and
// stores nothing.
func (s *Connections) Test(ctx context.Context, in ConnectionInput) (agent.EndpointReport, error) {
	var stored agent.Connection
	if in.Version != 0 {
		var err error
		if stored, err = s.One(ctx, in.Name); err != nil {
			return agent.EndpointReport{}, err
		}
	}
	in.Name = cmp.Or(in.Name, unnamed)
	c, err := s.checked(in)
	if err != nil {
		return agent.EndpointReport{}, err
	}
	key, err := s.keyOf(c, in, stored)
	if err != nil {
		return agent.EndpointReport{}, err
	}
	return s.Outlet.InspectEndpoint(ctx, c, key, func(models []string) string { return s.cheapest(c.Name, models) }), nil
}

// unnamed is the name of an endpoint that is only tested.
const unnamed = "test"

// TestStored asks an endpoint as it is.
func (s *Connections) TestStored(ctx context.Context, name string) (agent.EndpointReport, error) {
	c, err := s.One(ctx, name)
	if err != nil {
		return agent.EndpointReport{}, err
	}
	return s.Test(ctx, ConnectionInput{Name: c.Name, BaseURL: c.BaseURL, Version: c.Version})
}

// cheapest is the model that a test asks: of those whose price is known the one with the lowest, else the first.
func (s *Connections) cheapest(name string, models []string) string {
	best, lowest := models[0], int64(-1)
	for _, m := range models {
		row, known := s.Prices.Find(name+"/"+m, s.Clock.Now())
		if price := row.Price.Input + row.Price.Output; known && price > 0 && (lowest < 0 || price < lowest) {
			best, lowest = m, price
		}
	}
	return best
}

// Draft seals the key of a form that comes back, so that it need not be typed again
// and is not in the page; "" where there is none or it cannot be sealed.
func (s *Connections) Draft(in ConnectionInput) string {
	c, err := s.checked(in)
	if err != nil {
		return ""
	}
	key, err := s.keyOf(c, in, agent.Connection{})
	if err != nil || key == "" {
		return ""
	}
	sealed, err := s.Sealer.Seal(key, draftOf(c))
	if err != nil {
		return ""
	}
	return sealed
}

func (s *Connections) checked(in ConnectionInput) (agent.Connection, error) {
	c := agent.Connection{Name: strings.TrimSpace(in.Name), BaseURL: agent.ConnectionURL(in.BaseURL)}
	return c, c.Check()
}

// sealKey sets the key of an endpoint that is to be stored.
func (s *Connections) sealKey(c *agent.Connection, in ConnectionInput, was agent.Connection) error {
	if in.Key == nil && in.Draft == "" && was.SealedKey != "" && c.Origin() == was.Origin() {
		c.SealedKey = was.SealedKey // whether or not it can be read
		return nil
	}
	key, err := s.keyOf(*c, in, was)
	if err != nil || key == "" {
		return err
	}
	c.SealedKey, err = s.Sealer.Seal(key, c.Origin())
	return err
}

// keyOf is the key that goes to an endpoint: the typed one, the one typed before, or the
// stored one, which never goes to another host than the one it was typed for.
func (s *Connections) keyOf(c agent.Connection, in ConnectionInput, was agent.Connection) (string, error) {
	switch {
	case in.Key != nil:
		return agent.ConnectionKey(*in.Key)
	case in.Draft != "":
		key, err := s.Sealer.Open(in.Draft, draftOf(c))
		if err != nil {
			return "", agent.InvalidField("key", "was typed for another address; type it again")
		}
		return key, nil
	case was.SealedKey == "":
		return "", nil
	case c.Origin() != was.Origin():
		return "", agent.InvalidField("key", "the stored key was typed for %s and goes nowhere else; type the key for the new address", was.Origin())
	}
	key, err := s.Sealer.Open(was.SealedKey, was.Origin())
	if err != nil {
		return "", agent.InvalidField("key", "the stored key cannot be read on this machine; type it again")
	}
	return key, nil
}

// draftOf is whom a key that is not stored yet is sealed for.
func draftOf(c agent.Connection) string { return "draft " + c.Origin() }
