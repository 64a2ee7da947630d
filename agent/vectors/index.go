package vectors

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"fusebox/agent"
	"fusebox/agent/ranking"
	"fusebox/agent/sources"
)

// Store keeps passages and their vectors.
type Store interface {
	// FindPassages finds passages by words. Invalid for a question without a word, Unavailable
	// while the index is being rebuilt.
	FindPassages(ctx context.Context, search agent.Search) ([]agent.Found, error)
	// FindByMeaning finds them by words and by vectors.
	FindByMeaning(ctx context.Context, search agent.Search, model agent.VectorModel, question ranking.Vector) ([]agent.Found, error)
	// UseVectorModel makes a model the one of all vectors from now on; "" is none.
	UseVectorModel(ctx context.Context, model string) (agent.VectorModel, error)
	// DropOldVectors drops some vectors of earlier models; more is true where there are others.
	DropOldVectors(ctx context.Context, before int64) (more bool, err error)
	// VectorQueue has passages without a vector, of the person whose index comes after one.
	// None where nobody has any.
	VectorQueue(ctx context.Context, after int64, limit int) (scope int64, userID string, passages []agent.VectorPassage, err error)
	// KeepVectors keeps vectors, nil for passages that are left out, and books the call.
	KeepVectors(ctx context.Context, model int64, vectors map[int64]ranking.Vector, call agent.Step) error
	// SetVectorModel keeps what was measured of a model, and books the call.
	SetVectorModel(ctx context.Context, m agent.VectorModel, call agent.Step) error
	// NoteVectorFailure counts a failure; after most of them in a row the model has the problem.
	NoteVectorFailure(ctx context.Context, id int64, problem string, most int) (failures int, err error)
	RetryVectorModel(ctx context.Context, id int64) error
	// CountVectors counts passages of a person, or of all for "".
	CountVectors(ctx context.Context, model int64, userID string) (agent.VectorCounts, error)
	// HasVectors reports whether passages of a person can be found by vectors now.
	HasVectors(ctx context.Context, model int64, userID string) (bool, error)
	// FitEmbedding answers with an *agent.InsufficientBudget where a person's budgets have no room.
	FitEmbedding(ctx context.Context, userID string, call agent.ReservationRequest) error
	KeepEmbeddingCost(ctx context.Context, call agent.Step) error
}

// Options are what an Index is made of.
type Options struct {
	Store    Store
	Embedder agent.Embedder
	Counter  agent.TokenCounter
	// Model is the one that embeds, "" for none: then words alone are compared.
	Model string
	Price func(model string) (agent.Price, bool)
	Clock agent.Clock
	Log   *slog.Logger
}

// Index finds passages by words and, where a model embeds them, by what they mean.
type Index struct {
	Options
	wake chan struct{}
	// texts is how many texts the next call of Run has, refused how many were left out in a row.
	texts, refused int

	mu    sync.Mutex
	model agent.VectorModel
	// short are the people whose budgets had no room, with when Run asks them again.
	short map[string]time.Time
	// restUntil is when questions are embedded again after one could not be.
	restUntil time.Time
}

// New makes an Index; Run fills it.
func New(ctx context.Context, o Options) (*Index, error) {
	model, err := o.Store.UseVectorModel(ctx, o.Model)
	return &Index{Options: o, wake: make(chan struct{}, 1), model: model, short: map[string]time.Time{}, texts: maxTexts}, err
}

// Wake says that there may be passages to embed. It never blocks.
func (x *Index) Wake() {
	select {
	case x.wake <- struct{}{}:
	default:
	}
}

// current is the model as it is known now.
func (x *Index) current() agent.VectorModel {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.model
}

func (x *Index) change(f func(m *agent.VectorModel)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	f(&x.model)
}

// Retry has a model that has failed too often asked again.
func (x *Index) Retry(ctx context.Context) error {
	if err := x.Store.RetryVectorModel(ctx, x.current().ID); err != nil {
		return err
	}
	x.change(func(m *agent.VectorModel) { m.Problem = "" })
	x.Wake()
	return nil
}

// Status says how far the passages of a person, or of all for "", have been embedded.
func (x *Index) Status(ctx context.Context, userID string) (agent.VectorStatus, error) {
	s := agent.VectorStatus{Model: x.Model}
	if x.Model == "" {
		return s, nil
	}
	m := x.current()
	var err error
	if s.VectorCounts, err = x.Store.CountVectors(ctx, m.ID, userID); err != nil {
		return s, err
	}
	s.Problem = m.Problem
	if left := max(0, s.Passages-s.Embedded); left > 0 {
		s.Tokens = s.Terms * left / s.Passages // a term is about a token
	}
	price, priced := x.Price(x.Model)
	s.Priced, s.CostMicros = priced, price.Cost(agent.Usage{Tokens: agent.Tokens{InputTokens: s.Tokens}})
	x.mu.Lock()
	defer x.mu.Unlock()
	_, short := x.short[userID]
	s.OverBudget = short || userID == "" && len(x.short) > 0
	return s, nil
}

// fits reports whether the budgets of a person have room for so many tokens.
func (x *Index) fits(ctx context.Context, userID string, tokens int64) error {
	price, priced := x.Price(x.Model)
	err := x.Store.FitEmbedding(ctx, userID, agent.ReservationRequest{
		Kind: agent.StepEmbedding, Model: x.Model, Prompt: tokens, Price: price, Priced: priced, Switched: true,
	})
	x.mu.Lock()
	defer x.mu.Unlock()
	if delete(x.short, userID); isShort(err) {
		x.short[userID] = x.Clock.Now().Add(idle)
	}
	return err
}

// waits reports whether the budgets of a person had no room a moment ago.
func (x *Index) waits(userID string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.Clock.Now().Before(x.short[userID])
}

// call is the line of the bill of what was just embedded.
func (x *Index) call(userID string, e agent.Embedding, started time.Time) agent.Step {
	price, priced := x.Price(x.Model)
	return agent.Step{
		Kind: agent.StepEmbedding, UserID: userID, Model: x.Model, Provider: e.Provider, Usage: e.Usage, CostMicros: price.Cost(e.Usage), Unpriced: !priced,
		Tools: []agent.ToolUse{{Name: sources.KnowledgeTool, Calls: 1}}, StartedAt: started, EndedAt: agent.Stamp(x.Clock),
	}
}
