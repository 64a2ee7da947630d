package service

import (
	"context"
	"strings"
	"time"

	"fusebox/agent"
)

// Prices are the commands about what models cost.
type Prices struct {
	Store  PriceStore
	Book   PriceBook
	Models *Models
	Clock  agent.Clock
}

// PriceInput is what a person says that a model costs, in micro-USD per million
// tokens.
type PriceInput struct {
	Provider  string `json:"provider"`
	Model     string `json:"model"`
	ValidFrom string `json:"validFrom"` // a day, "" is today
	Input     *int64 `json:"input"`
	Cached    *int64 `json:"cached"` // nil is that of input
	Output    *int64 `json:"output"`
	Reasoning int64  `json:"reasoning"` // 0 is that of output
	Source    string `json:"source"`
}

// Set saves a price and puts it in effect.
func (s *Prices) Set(ctx context.Context, v agent.Viewer, in PriceInput) (agent.PriceRow, error) {
	row, err := s.row(v, in.Provider, in.Model, in.ValidFrom)
	if err != nil {
		return row, err
	}
	switch {
	case in.Input == nil:
		return row, agent.InvalidField("input", "is missing; enter 0 if the model is free")
	case in.Output == nil:
		return row, agent.InvalidField("output", "is missing; enter 0 if the model is free")
	case in.Cached == nil:
		in.Cached = in.Input
	}
	row.Known, row.Source = true, strings.TrimSpace(in.Source)
	if row.Source == "" {
		row.Source = "set by " + row.CreatedBy
	}
	row.Price = agent.Price{Input: *in.Input, Cached: *in.Cached, Output: *in.Output, Reasoning: in.Reasoning}
	return row, s.save(ctx, row)
}

// Remove takes a price back from a day on.
func (s *Prices) Remove(ctx context.Context, v agent.Viewer, provider, model, day string) (agent.PriceRow, error) {
	row, err := s.row(v, provider, model, day)
	if err != nil {
		return row, err
	}
	row.Source = "removed by " + row.CreatedBy
	return row, s.save(ctx, row)
}

// Plan is what a list would change now, for the models that are offered or for all.
func (s *Prices) Plan(list agent.PriceList, all bool) agent.PricePlan {
	var offered []string
	if !all {
		offered = []string{}
		for _, m := range s.Models.Offered() {
			offered = append(offered, m.ID)
		}
	}
	return s.Book.Plan(list, offered, s.Clock.Now())
}

// Import writes the prices of a plan, from today on, and puts them in effect.
func (s *Prices) Import(ctx context.Context, v agent.Viewer, plan agent.PricePlan, source string) error {
	rows := plan.Rows()
	if len(rows) == 0 {
		return nil
	}
	for i := range rows {
		rows[i].ValidFrom, rows[i].Source = agent.Day(s.Clock.Now()), source
		rows[i].CreatedBy, rows[i].CreatedAt = v.Email, agent.Stamp(s.Clock)
	}
	if err := s.Store.ImportPrices(ctx, v.Email, source, rows, plan.Counts()); err != nil {
		return err
	}
	return s.Book.Load(ctx)
}

// save writes a row and has the book read it.
func (s *Prices) save(ctx context.Context, row agent.PriceRow) error {
	if err := s.Store.SavePrice(ctx, row); err != nil {
		return err
	}
	return s.Book.Load(ctx)
}

// row is the row of a model from a day on, without its price. A model that is
// named with its endpoint is that endpoint's.
func (s *Prices) row(v agent.Viewer, provider, model, day string) (agent.PriceRow, error) {
	row := agent.PriceRow{
		Provider: strings.TrimSpace(provider), Model: strings.TrimSpace(model),
		CreatedBy: v.Email, CreatedAt: agent.Stamp(s.Clock),
	}
	if row.Provider == "" {
		row.Provider, row.Model = s.Book.Split(row.Model)
	}
	row.ValidFrom = agent.Day(s.Clock.Now())
	if day == "" {
		return row, nil
	}
	from, err := time.Parse(time.DateOnly, day)
	if err != nil || from.Year() < 2000 || from.Year() > 2999 {
		return row, agent.InvalidField("validFrom", "is not a date; allowed: one such as 2026-01-31")
	}
	row.ValidFrom = from
	return row, nil
}
