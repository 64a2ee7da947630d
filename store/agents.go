package store

import (
	"context"
	"slices"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Agents keeps the definitions of agents, with all their versions.
type Agents struct{ *core }

const (
	agentColumns = `v.name, v.version, v.definition, v.source, v.updated_by, v.updated_at`
	// liveAgents are the newest versions of those that were not deleted.
	liveAgents = `SELECT ` + agentColumns + ` FROM agents a JOIN agent_versions v ON v.name = a.name AND v.version = a.version WHERE NOT a.deleted`
	// namedAgents name the versions of liveAgents.
	namedAgents = `SELECT a.name, a.version FROM agents a WHERE NOT a.deleted ORDER BY a.name`
	// agentVersions are those of one agent, deleted or not.
	agentVersions = `SELECT ` + agentColumns + ` FROM agent_versions v WHERE v.name = $1`
)

// maxAgentVersions bounds how many versions are listed.
const maxAgentVersions = 100

const noAgent = "There is no agent named %s."

func scanAgent(r sqlite.Scanner) (agent.Agent, error) {
	var text, name, by string
	var version int
	var source agent.AgentSource
	var at int64
	if err := r.Scan(&name, &version, &text, &source, &by, &at); err != nil {
		return agent.Agent{}, err
	}
	a := agent.Agent{}
	err := fromJSON(text, &a)
	a.Name, a.Version, a.Source, a.UpdatedBy, a.UpdatedAt = name, version, source, by, sqlite.FromMS(at)
	return a, err
}

// Agents are those there are, by name.
func (s *Agents) Agents(ctx context.Context) ([]agent.Agent, error) {
	return sqlite.List(ctx, s.db, scanAgent, liveAgents+` ORDER BY a.name`)
}

// DeletedAgents are the names of those that were deleted.
func (s *Agents) DeletedAgents(ctx context.Context) ([]string, error) {
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (name string, err error) { return name, r.Scan(&name) },
		`SELECT name FROM agents WHERE deleted ORDER BY name`)
}

// Agent is an agent as it is for version 0, else that version of one that may have been
// deleted since. NotFound where there is none.
func (s *Agents) Agent(ctx context.Context, name string, version int) (*agent.Agent, error) {
	query, args := liveAgents+` AND a.name = $1`, []any{name}
	if version != 0 {
		query, args = agentVersions+` AND v.version = $2`, append(args, version)
	}
	a, err := scanAgent(s.db.QueryRowContext(ctx, query, args...))
	if err != nil {
		return nil, sqlite.NotFound(err, noAgent, name)
	}
	return &a, nil
}

// AgentVersions are the newest versions of an agent, which may have been deleted, the
// newest first.
func (s *Agents) AgentVersions(ctx context.Context, name string) ([]agent.Agent, error) {
	all, err := sqlite.List(ctx, s.db, scanAgent, agentVersions+` ORDER BY v.version DESC LIMIT $2`, name, maxAgentVersions)
	if err == nil && len(all) == 0 {
		err = agent.Errorf(agent.NotFound, noAgent, name)
	}
	return all, err
}

// CreateAgent adds an agent; versions of one that had the name before go on counting.
// Conflict where the name is taken, or there are as many as there may be.
func (s *Agents) CreateAgent(ctx context.Context, v agent.Viewer, a agent.Agent) (agent.Agent, error) {
	a.Version, a.Source, a.UpdatedBy = 0, agent.AgentByAdmin, v.Email
	ctx = agent.WithViewer(ctx, v)
	err := s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		var live, taken int
		if err := t.Row(`SELECT COUNT(*), COUNT(CASE WHEN name = $1 THEN 1 END) FROM agents WHERE NOT deleted`, a.Name).Scan(&live, &taken); err != nil {
			return err
		}
		switch {
		case taken > 0:
			return agent.Errorf(agent.Conflict, "There is an agent named %s already. Edit that one, or choose another name.", a.Name)
		case live >= agent.MaxAgents:
			return agent.Errorf(agent.Conflict, "There are %d agents already, as many as there may be. Delete one first.", live)
		}
		if err := addAgentVersion(t, &a); err != nil {
			return err
		}
		return auditAgent(ctx, t, "agent.create", a)
	})
	return a, err
}

// UpdateAgent makes a new version of an agent whose newest one is the one given; what says
// the same as that makes none. NotFound where there is none, Conflict where somebody else
// has changed it, or the configuration has it.
func (s *Agents) UpdateAgent(ctx context.Context, v agent.Viewer, a agent.Agent) (agent.Agent, error) {
	a.Source, a.UpdatedBy = agent.AgentByAdmin, v.Email
	ctx = agent.WithViewer(ctx, v)
	err := s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		have, err := ownAgent(t, a.Name)
		switch {
		case err != nil:
			return err
		case have.Version != a.Version:
			return agent.Errorf(agent.Conflict, "The agent %s was changed meanwhile: its newest version is %d. Look at it and save again.", a.Name, have.Version)
		case have.SameAs(a):
			a = have
			return nil
		}
		if err := addAgentVersion(t, &a); err != nil {
			return err
		}
		return auditAgent(ctx, t, "agent.update", a)
	})
	return a, err
}

// DeleteAgent ends an agent; its versions can still be read. Errors are those of
// UpdateAgent, apart from the version.
func (s *Agents) DeleteAgent(ctx context.Context, v agent.Viewer, name string) error {
	ctx = agent.WithViewer(ctx, v)
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		a, err := ownAgent(t, name)
		if err != nil {
			return err
		}
		return endAgent(ctx, t, a)
	})
}

// ownAgent is an agent that admins may change.
func ownAgent(t *sqlite.Tx, name string) (agent.Agent, error) {
	a, err := scanAgent(t.Row(liveAgents+` AND a.name = $1`, name))
	if err != nil {
		return a, sqlite.NotFound(err, noAgent, name)
	}
	if a.Source == agent.AgentConfigured {
		err = agent.Errorf(agent.Conflict, "The agent %s is in the configuration file. Change the table [agents.%s] there and start the server again.", name, name)
	}
	return a, err
}

// addAgentVersion makes a the newest version of the agent of its name.
func addAgentVersion(t *sqlite.Tx, a *agent.Agent) error {
	a.UpdatedAt = agent.Stamp(t.Clock)
	if err := t.Row(`INSERT INTO agents (name, version) VALUES ($1, 1)
		ON CONFLICT (name) DO UPDATE SET version = version + 1, deleted = FALSE RETURNING version`, a.Name).Scan(&a.Version); err != nil {
		return err
	}
	text, err := toJSON(a)
	if err != nil {
		return err
	}
	_, err = t.Exec(`INSERT INTO agent_versions (name, version, definition, source, updated_by, updated_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		a.Name, a.Version, text, a.Source, a.UpdatedBy, sqlite.MS(a.UpdatedAt))
	return err
}

func endAgent(ctx context.Context, t *sqlite.Tx, a agent.Agent) error {
	if _, err := t.Exec(`UPDATE agents SET deleted = TRUE WHERE name = $1`, a.Name); err != nil {
		return err
	}
	return auditAgent(ctx, t, "agent.delete", a)
}

// auditAgent names the version, which says the rest.
func auditAgent(ctx context.Context, t *sqlite.Tx, action string, a agent.Agent) error {
	detail, err := toJSON(map[string]any{"version": a.Version, "source": a.Source})
	if err != nil {
		return err
	}
	return addAudit(ctx, t, "", action, a.Name, detail)
}

// readAgents adds the definitions: those that tasks can be handed to, and the run's own in the
// version that it names. All of them can be long, and a version never changes: they are read
// again only where one was made or deleted since.
func (c *core) readAgents(ctx context.Context, from sqlite.Reader, snap *agent.Snapshot) error {
	now, err := sqlite.List(ctx, from, func(r sqlite.Scanner) (a agent.Agent, err error) { return a, r.Scan(&a.Name, &a.Version) }, namedAgents)
	if err != nil {
		return err
	}
	same := func(a, b agent.Agent) bool { return a.Name == b.Name && a.Version == b.Version }
	kept := c.agents.Load()
	if kept == nil || !slices.EqualFunc(*kept, now, same) {
		all, err := sqlite.List(ctx, from, scanAgent, liveAgents+` ORDER BY a.name`)
		if err != nil {
			return err
		}
		kept = &all
		c.agents.Store(kept)
	}
	snap.Agents = *kept
	if snap.Run.Agent == "" {
		return nil
	}
	own, err := scanAgent(from.QueryRowContext(ctx, agentVersions+` AND v.version = $2`, snap.Run.Agent, snap.Run.AgentVersion))
	if err != nil {
		return sqlite.NotFound(err, noAgent, snap.Run.Agent)
	}
	snap.Agent = &own
	return nil
}

// SeedAgents takes over, at start, what the configuration says and the program ships. An
// agent that is not in the configuration any more is deleted. A shipped one is left alone
// where somebody has changed or deleted it.
func (s *Agents) SeedAgents(ctx context.Context, configured, shipped []agent.Agent) error {
	ctx = agent.WithViewer(ctx, agent.Viewer{Email: agent.System})
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		have, err := newestAgents(t)
		if err != nil {
			return err
		}
		inFile := map[string]bool{}
		for _, a := range configured {
			inFile[a.Name] = true
			was := have[a.Name]
			if !was.gone && was.Source == agent.AgentConfigured && was.SameAs(a) {
				continue
			}
			a.Source = agent.AgentConfigured
			if err := was.become(ctx, t, a); err != nil {
				return err
			}
		}
		for _, a := range shipped {
			was := have[a.Name]
			if inFile[a.Name] || was.Version > 0 && (was.gone || was.Source != agent.AgentShipped || was.SameAs(a)) {
				continue
			}
			a.Source = agent.AgentShipped
			if err := was.become(ctx, t, a); err != nil {
				return err
			}
		}
		for _, was := range have {
			if was.Source == agent.AgentConfigured && !was.gone && !inFile[was.Name] {
				if err := endAgent(ctx, t, was.Agent); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// newestAgent is the newest version of an agent, and whether it was deleted; the zero
// value is of a name that was never used.
type newestAgent struct {
	agent.Agent
	gone bool
}

func newestAgents(t *sqlite.Tx) (map[string]newestAgent, error) {
	all := map[string]newestAgent{}
	err := t.Each(func(r sqlite.Scanner) error {
		var gone bool
		a, err := scanAgent(beside{r, []any{&gone}})
		all[a.Name] = newestAgent{a, gone}
		return err
	}, `SELECT `+agentColumns+`, a.deleted FROM agents a JOIN agent_versions v ON v.name = a.name AND v.version = a.version`)
	return all, err
}

// become stores a definition as the version that follows.
func (was newestAgent) become(ctx context.Context, t *sqlite.Tx, a agent.Agent) error {
	action := "agent.update"
	if was.Version == 0 || was.gone {
		action = "agent.create"
	}
	if err := addAgentVersion(t, &a); err != nil {
		return err
	}
	return auditAgent(ctx, t, action, a)
}
