package store

import (
	"context"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Agents keeps the definitions of agents, with all their versions.
type Agents struct{ *core }

const noAgent = "There is no agent named %s."

var agentDefinitions = definitions[agent.Agent]{
	noun: "agent", most: agent.MaxAgents,
	created: "agent.create", updated: "agent.update", removed: "agent.delete",
	says: struct{ none, taken, full, changed, configured string }{
		none:       noAgent,
		taken:      "There is an agent named %s already. Edit that one, or choose another name.",
		full:       "There are %d agents already, as many as there may be. Delete one first.",
		changed:    "The agent %s was changed meanwhile: its newest version is %d. Look at it and save again.",
		configured: "The agent %s is in the configuration file. Change the table [agents.%s] there and start the server again.",
	},
	head: func(a *agent.Agent) head { return head{&a.Name, &a.Version, &a.Source, &a.UpdatedBy, &a.UpdatedAt} },
}

// Agents are those there are, by name.
func (s *Agents) Agents(ctx context.Context) ([]agent.Agent, error) {
	return sqlite.List(ctx, s.db, agentDefinitions.scan, agentDefinitions.sorted())
}

// DeletedAgents are the names of those that were deleted.
func (s *Agents) DeletedAgents(ctx context.Context) ([]string, error) {
	return agentDefinitions.deleted(ctx, s.core)
}

// Agent is an agent as it is for version 0, else that version of one that may have been
// deleted since. NotFound where there is none.
func (s *Agents) Agent(ctx context.Context, name string, version int) (*agent.Agent, error) {
	return agentDefinitions.get(ctx, s.db, name, version)
}

// AgentVersions are the newest versions of an agent, which may have been deleted, the
// newest first.
func (s *Agents) AgentVersions(ctx context.Context, name string) ([]agent.Agent, error) {
	return agentDefinitions.history(ctx, s.core, name)
}

// CreateAgent adds an agent; versions of one that had the name before go on counting.
// Conflict where the name is taken, or there are as many as there may be.
func (s *Agents) CreateAgent(ctx context.Context, v agent.Viewer, a agent.Agent) (agent.Agent, error) {
	return agentDefinitions.create(ctx, s.core, v, a)
}

// UpdateAgent makes a new version of an agent whose newest one is the one given; what says
// the same as that makes none. NotFound where there is none, Conflict where somebody else
// has changed it, or the configuration has it.
func (s *Agents) UpdateAgent(ctx context.Context, v agent.Viewer, a agent.Agent) (agent.Agent, error) {
	return agentDefinitions.update(ctx, s.core, v, a)
}

// DeleteAgent ends an agent; its versions can still be read. Errors are those of
// UpdateAgent, apart from the version.
func (s *Agents) DeleteAgent(ctx context.Context, v agent.Viewer, name string) error {
	return agentDefinitions.remove(ctx, s.core, v, name)
}

// SeedAgents takes over, at start, what the configuration says and the program ships. An
// agent that is not in the configuration any more is deleted. A shipped one is left alone
// where somebody has changed or deleted it.
func (s *Agents) SeedAgents(ctx context.Context, configured, shipped []agent.Agent) error {
	return agentDefinitions.seed(ctx, s.core, configured, shipped)
}
