package service

import (
	"context"
	"io"
	"time"

	"fusebox/agent"
)

// PriceBook resolves what models cost. Changes in the store are visible after Load.
type PriceBook interface {
	// Find returns the price row of a model, false if the price is unknown.
	Find(model string, at time.Time) (agent.PriceRow, bool)
	// Split parts a model's name into endpoint and name there.
	Split(model string) (provider, name string)
	Load(ctx context.Context) error
	// ReadList reads a file of prices, Plan says what it would change for the
	// models that are offered, or for all where offered is nil.
	ReadList(r io.Reader) (agent.PriceList, error)
	Plan(list agent.PriceList, offered []string, at time.Time) agent.PricePlan
}

// Endpoints are the models' servers with their models.
type Endpoints interface {
	Models() []agent.ModelInfo
	Endpoints() []agent.EndpointInfo
	// Refresh asks the endpoints which models they have.
	Refresh(ctx context.Context)
	// Probe tests a model by true requests.
	Probe(ctx context.Context, id string) agent.ModelReport
}
