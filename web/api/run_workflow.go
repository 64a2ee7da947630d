package api

import (
	"context"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/agent/workflow"
)

// progressBody is the workflow that a run works by, and how its steps stand.
type progressBody struct {
	Name       string         `json:"name"`
	Version    int            `json:"version"`
	Steps      []progressStep `json:"steps"`
	CostMicros int64          `json:"costMicros"`
	// MaxCostMicros is the most that CostMicros can come to; it is missing where nothing limits it.
	MaxCostMicros *int64 `json:"maxCostMicros,omitempty"`
}

type progressStep struct {
	ID     string             `json:"id"` // the name of the step
	Agent  string             `json:"agent,omitempty"`
	Person agent.PersonStep   `json:"person,omitempty"`
	State  workflow.StepState `json:"state"`
	Needs  []string           `json:"needs"`
	Runs   []string           `json:"runs"`
	Tries  int                `json:"tries"`
	// TakenOver says that the result is that of an earlier run.
	TakenOver  bool  `json:"takenOver,omitempty"`
	CostMicros int64 `json:"costMicros"`
}

// workflow is nil for a run that works by none.
func (s *Runs) workflow(ctx context.Context, v agent.Viewer, run agent.Run, tree []agent.Run) (*progressBody, error) {
	p, err := service.ProgressOf(ctx, s.Store, run, tree)
	if p == nil || err != nil {
		return nil, err
	}
	body := &progressBody{
		Name: run.State.Workflow.Name, Version: run.State.Workflow.Version, Steps: []progressStep{},
		CostMicros: p.CostMicros, MaxCostMicros: p.MaxCostMicros,
	}
	if s.Visibility.TokensOnly(v) {
		body.MaxCostMicros = nil
	}
	for _, step := range p.Steps {
		body.Steps = append(body.Steps, progressStep{
			ID: step.Name, Agent: step.Agent, Person: step.Person, State: step.State, Needs: step.Needs, Runs: step.Runs,
			Tries: step.Tries, TakenOver: step.TakenOver, CostMicros: step.CostMicros,
		})
	}
	return body, nil
}
