package web

import (
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// priceInput is what a person says that a model costs, in micro-USD per million
// tokens.
type priceInput struct {
	Provider  string `json:"provider"`
	Model     string `json:"model"`
	ValidFrom string `json:"validFrom"` // a day, "" is today
	Input     *int64 `json:"input"`
	Cached    *int64 `json:"cached"` // nil is that of input
	Output    *int64 `json:"output"`
	Reasoning int64  `json:"reasoning"` // 0 is that of output
	Source    string `json:"source"`
}

// priceSet is PUT /api/v1/prices: what a model costs from a day on.
func (s *Server) priceSet(c echo.Context) error {
	var in priceInput
	if err := readJSON(c, &in); err != nil {
		return err
	}
	row, err := s.setPrice(c, in)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, viewPrice(row))
}

// setPrice saves a price and makes it known.
func (s *Server) setPrice(c echo.Context, in priceInput) (agent.PriceRow, error) {
	row, err := s.priceRow(c, in.Provider, in.Model, in.ValidFrom)
	if err != nil {
		return row, err
	}
	switch {
	case in.Input == nil:
		return row, agent.InvalidField("input", "is missing; a model without a price has none, one that costs nothing has 0")
	case in.Output == nil:
		return row, agent.InvalidField("output", "is missing; a model without a price has none, one that costs nothing has 0")
	case in.Cached == nil:
		in.Cached = in.Input
	}
	row.Known, row.Source = true, strings.TrimSpace(in.Source)
	if row.Source == "" {
		row.Source = "set by " + row.CreatedBy
	}
	row.Price = agent.Price{Input: *in.Input, Cached: *in.Cached, Output: *in.Output, Reasoning: in.Reasoning}
	return row, s.savePrice(c, row)
}

// savePrice writes a row and has the book read it.
func (s *Server) savePrice(c echo.Context, row agent.PriceRow) error {
	ctx := c.Request().Context()
	if err := s.Store.SavePrice(ctx, row); err != nil {
		return err
	}
	return s.Prices.Load(ctx)
}

// priceRow is the row of a model from a day on, without its price. A model that
// is named with its endpoint is that endpoint's.
func (s *Server) priceRow(c echo.Context, provider, model, day string) (agent.PriceRow, error) {
	row := agent.PriceRow{
		Provider: strings.TrimSpace(provider), Model: strings.TrimSpace(model),
		CreatedBy: viewerOf(c).Email, CreatedAt: agent.Stamp(s.Clock),
	}
	if row.Provider == "" {
		row.Provider, row.Model = s.Prices.Split(row.Model)
	}
	row.ValidFrom = agent.Day(s.Clock.Now())
	if day == "" {
		return row, nil
	}
	from, err := time.Parse(time.DateOnly, day)
	if err != nil || from.Year() < 2000 || from.Year() > 2999 {
		return row, agent.InvalidField("validFrom", "is no day; allowed: one such as 2026-01-31")
	}
	row.ValidFrom = from
	return row, nil
}
