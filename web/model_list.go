package web

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

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
func (s *Server) modelList(c echo.Context) error {
	views, hidden := []modelView{}, s.tokensOnly(viewerOf(c))
	for _, m := range s.offered() {
		view := modelView{ModelInfo: m, Default: m.ID == s.DefaultModel}
		if !hidden {
			view.Price = s.modelPrice(m.ID)
		}
		views = append(views, view)
	}
	return c.JSON(http.StatusOK, listing[modelView]{Items: views})
}

func (s *Server) modelPrice(id string) *modelPrice {
	r, known := s.Prices.Find(id, s.Clock.Now())
	if !known {
		return nil
	}
	return &modelPrice{
		Input: r.Input, Cached: r.Cached, Output: r.Output, Reasoning: cmp.Or(r.Reasoning, r.Output), Source: r.Source, ValidFrom: rfc3339(r.ValidFrom),
	}
}

// offered are the models that people may choose. The default one is among
// them, whether an endpoint lists it or not.
func (s *Server) offered() []agent.ModelInfo {
	models := s.Models.Models()
	if !slices.ContainsFunc(models, func(m agent.ModelInfo) bool { return m.ID == s.DefaultModel }) {
		models = slices.Insert(models, 0, agent.ModelInfo{ID: s.DefaultModel})
	}
	return models
}

// checkModel refuses a model that is not offered.
func (s *Server) checkModel(id string) error {
	var names []string
	for _, m := range s.offered() {
		if m.ID == id {
			return nil
		}
		names = append(names, m.ID)
	}
	return agent.InvalidField("model", "%q is not offered here; allowed: %s", clip(id, 100), clip(strings.Join(names, ", "), 2000))
}
