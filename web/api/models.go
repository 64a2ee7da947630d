package api

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// Models answers the calls about models.
type Models struct {
	Clock      agent.Clock
	Models     service.Endpoints
	Prices     service.PriceBook
	Service    *service.Service
	Visibility *request.Visibility
}

// modelView is a model that people may choose.
type modelView struct {
	agent.ModelInfo
	Default bool `json:"default"`
	// Price is null where nobody knows it, and for people who are not shown money.
	Price *modelPrice `json:"price"`
}

// price is what a model costs now, in micro-USD per million tokens.
type modelPrice struct {
	Input     int64   `json:"input"`
	Cached    int64   `json:"cached"`
	Output    int64   `json:"output"`
	Reasoning int64   `json:"reasoning"`
	Source    string  `json:"source"`
	ValidFrom *string `json:"validFrom"`
}

// List is GET /api/v1/models: all models, those that ?q= finds, or a part of them.
func (s *Models) List(c echo.Context) error {
	p, err := request.Page(c)
	if err != nil {
		return err
	}
	standard, err := s.Service.Models.Default(c.Request().Context())
	if err != nil {
		return err
	}
	found, next, err := partOf(service.Search(s.Service.Models.Offered(), c.QueryParam("q")), p)
	if err != nil {
		return err
	}
	views, hidden := []modelView{}, s.Visibility.TokensOnly(request.Viewer(c))
	for _, m := range found {
		view := modelView{ModelInfo: m, Default: m.ID == standard}
		if !hidden {
			view.Price = s.price(m.ID)
		}
		views = append(views, view)
	}
	return c.JSON(http.StatusOK, request.Listing[modelView]{Items: views, NextCursor: next})
}

// partOf is one page of models; a cursor is the last model of the page before.
func partOf(models []agent.ModelInfo, p agent.Page) (part []agent.ModelInfo, next string, err error) {
	if p.Cursor != "" {
		i := slices.IndexFunc(models, func(m agent.ModelInfo) bool { return m.ID == p.Cursor })
		if i < 0 {
			return nil, "", agent.InvalidField("cursor", "is of no page of this list; begin without one")
		}
		models = models[i+1:]
	}
	if p.Limit > 0 && len(models) > p.Limit {
		models = models[:p.Limit]
		next = models[p.Limit-1].ID
	}
	return models, next, nil
}

func (s *Models) price(id string) *modelPrice {
	r, known := s.Prices.Find(id, s.Clock.Now())
	if !known {
		return nil
	}
	return &modelPrice{
		Input: r.Input, Cached: r.Cached, Output: r.Output, Reasoning: cmp.Or(r.Reasoning, r.Output), Source: r.Source, ValidFrom: request.RFC3339(r.ValidFrom),
	}
}

// probeView is the outcome of a test of a model.
type probeView struct {
	Model     string      `json:"model"`
	LatencyMS int64       `json:"latencyMs"`
	TotalMS   int64       `json:"totalMs"`
	Answer    agent.Check `json:"answer"`
	Streaming agent.Check `json:"streaming"`
	Tools     agent.Check `json:"tools"`
	Usage     agent.Check `json:"usage"`
	Reasoning agent.Check `json:"reasoning"`
}

// Test is POST /api/v1/models/test.
func (s *Models) Test(c echo.Context) error {
	var in struct {
		Model string `json:"model"`
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	if err := s.Service.Models.Check(in.Model); err != nil {
		return err
	}
	r := s.Models.Probe(c.Request().Context(), in.Model)
	return c.JSON(http.StatusOK, probeView{
		Model: r.Model, LatencyMS: r.Latency.Milliseconds(), TotalMS: r.Total.Milliseconds(),
		Answer: r.Answer, Streaming: r.Streaming, Tools: r.Tools, Usage: r.Usage, Reasoning: r.Reasoning,
	})
}
