package store

import (
	"context"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

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
