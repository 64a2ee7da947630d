package service

import (
	"slices"
	"strings"

	"fusebox/agent"
)

// Models are those that people may choose.
type Models struct {
	// Source lists what the endpoints have.
	Source interface{ Models() []agent.ModelInfo }
	// Default is the model of a conversation that names none.
	Default string
}

// Offered are the models that people may choose. The default one is among
// them, whether an endpoint lists it or not.
func (s *Models) Offered() []agent.ModelInfo {
	models := s.Source.Models()
	if !slices.ContainsFunc(models, func(m agent.ModelInfo) bool { return m.ID == s.Default }) {
		models = slices.Insert(models, 0, agent.ModelInfo{ID: s.Default})
	}
	return models
}

// Check refuses a model that is not offered.
func (s *Models) Check(id string) error {
	var names []string
	for _, m := range s.Offered() {
		if m.ID == id {
			return nil
		}
		names = append(names, m.ID)
	}
	return agent.InvalidField("model", "%q is not available here; allowed: %s", agent.Clip(id, 100), agent.Clip(strings.Join(names, ", "), 2000))
}
