package service

import (
	"context"
	"strings"

	"fusebox/agent"
)

// Agents are the commands about agents.
type Agents struct {
	Store  AgentStore
	Models *Models
}

// AgentInput is what an admin says of an agent.
type AgentInput struct {
	Name         string   `json:"name"`
	Purpose      string   `json:"purpose"`
	Instructions string   `json:"instructions"`
	Model        string   `json:"model"`
	Tools        []string `json:"tools"`
	// Knowledge is nil for the collections of the conversation.
	Knowledge agent.CollectionChoice `json:"knowledge"`
	Mode      agent.ApprovalMode     `json:"mode"`
	Limits    struct {
		agent.AgentLimits
		// MaxSteps is another name of Steps, that of the breakers' setting.
		MaxSteps int `json:"max_steps"`
	} `json:"limits"`
	// Version is the newest one, which was seen; a new agent has none.
	Version int `json:"version"`
}

// Create makes an agent.
func (s *Agents) Create(ctx context.Context, v agent.Viewer, in AgentInput) (agent.Agent, error) {
	a, err := s.checked(in, "")
	if err != nil {
		return a, err
	}
	return s.Store.CreateAgent(ctx, v, a)
}

// Update makes a new version of an agent.
func (s *Agents) Update(ctx context.Context, v agent.Viewer, in AgentInput) (agent.Agent, error) {
	was, err := s.Store.Agent(ctx, in.Name, 0)
	if err != nil {
		return agent.Agent{}, err
	}
	a, err := s.checked(in, was.Model)
	if err != nil {
		return a, err
	}
	return s.Store.UpdateAgent(ctx, v, a)
}

var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// checked is the definition of an agent whose model was another one before. That one may
// stay although there is no such model any more.
func (s *Agents) checked(in AgentInput, modelBefore string) (agent.Agent, error) {
	a := agent.Agent{
		Name: strings.TrimSpace(in.Name), Purpose: strings.Join(strings.Fields(in.Purpose), " "), Instructions: strings.TrimSpace(lineBreaks.Replace(in.Instructions)),
		Model: strings.TrimSpace(in.Model), Tools: in.Tools, Knowledge: in.Knowledge, Mode: in.Mode, Limits: in.Limits.AgentLimits, Version: in.Version,
	}
	if n := in.Limits.MaxSteps; n != 0 {
		if a.Limits.Steps != 0 && a.Limits.Steps != n {
			return a, agent.InvalidField("limits.max_steps", "is %d, and steps is %d; name one of them", n, a.Limits.Steps)
		}
		a.Limits.Steps = n
	}
	if err := a.Check(); err != nil {
		return a, err
	}
	if a.Model == "" || a.Model == modelBefore {
		return a, nil
	}
	return a, s.Models.Check(a.Model)
}

// checkAgent refuses the name of an agent that there is not; "" is none.
func checkAgent(ctx context.Context, from AgentReader, name string) error {
	if name == "" {
		return nil
	}
	_, err := from.Agent(ctx, name, 0)
	if agent.CodeOf(err) == agent.NotFound {
		err = agent.InvalidField("agent", "there is no agent named %s; choose another one, or none", agent.Clip(name, 40))
	}
	return err
}

// agentOf is the agent with a name; the zero value for none, or for one that was deleted.
func agentOf(ctx context.Context, from AgentReader, name string) (agent.Agent, error) {
	if name == "" {
		return agent.Agent{}, nil
	}
	a, err := from.Agent(ctx, name, 0)
	if agent.CodeOf(err) == agent.NotFound {
		return agent.Agent{}, nil
	}
	if err != nil {
		return agent.Agent{}, err
	}
	return *a, nil
}

// agentOfRun is the agent of a run as it is now, and as it was for the run where it was
// deleted since: without it the next run would have more rights than this one.
func agentOfRun(ctx context.Context, from AgentReader, r agent.Run) (agent.Agent, error) {
	by, err := agentOf(ctx, from, r.Agent)
	if err != nil || by.Name == r.Agent {
		return by, err
	}
	was, err := from.Agent(ctx, r.Agent, r.AgentVersion)
	if err != nil {
		return agent.Agent{}, err
	}
	return *was, nil
}
