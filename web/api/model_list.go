package api

import (
	"cmp"
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// modelView is a model that people may choose.
type modelView struct {
	agent.ModelInfo
	Default bool `json:"default"`
	// Price is null where nobody knows it, and for who is not shown money.
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

// List is GET /api/v1/models.
func (s *Models) List(c echo.Context) error {
	views, hidden := []modelView{}, s.Visibility.TokensOnly(request.Viewer(c))
	for _, m := range s.Service.Models.Offered() {
		view := modelView{ModelInfo: m, Default: m.ID == s.DefaultModel}
		if !hidden {
			view.Price = s.price(m.ID)
		}
		views = append(views, view)
	}
	return c.JSON(http.StatusOK, request.Listing[modelView]{Items: views})
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
