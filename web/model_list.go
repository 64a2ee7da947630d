package web

import (
	"cmp"
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// modelView is a model that people may choose.
type modelView struct {
	agent.ModelInfo
	Default bool `json:"default"`
	// Price is null where nobody knows it, and for who is not shown money.
	Price *modelPrice `json:"price"`
}

// modelPrice is what a model costs now, in micro-USD per million tokens.
type modelPrice struct {
	Input     int64   `json:"input"`
	Cached    int64   `json:"cached"`
	Output    int64   `json:"output"`
	Reasoning int64   `json:"reasoning"`
	Source    string  `json:"source"`
	ValidFrom *string `json:"validFrom"`
}

// modelList is GET /api/v1/models.
func (s *apiModels) modelList(c echo.Context) error {
	views, hidden := []modelView{}, s.Visibility.tokensOnly(viewerOf(c))
	for _, m := range s.Service.Models.Offered() {
		view := modelView{ModelInfo: m, Default: m.ID == s.DefaultModel}
		if !hidden {
			view.Price = s.modelPrice(m.ID)
		}
		views = append(views, view)
	}
	return c.JSON(http.StatusOK, listing[modelView]{Items: views})
}

func (s *apiModels) modelPrice(id string) *modelPrice {
	r, known := s.Prices.Find(id, s.Clock.Now())
	if !known {
		return nil
	}
	return &modelPrice{
		Input: r.Input, Cached: r.Cached, Output: r.Output, Reasoning: cmp.Or(r.Reasoning, r.Output), Source: r.Source, ValidFrom: rfc3339(r.ValidFrom),
	}
}
