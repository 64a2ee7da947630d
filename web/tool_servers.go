package web

import (
	"context"

	"fusebox/agent"
)

// ToolServers are the MCP servers that are configured.
type ToolServers interface {
	ToolServers() []agent.ToolServer
	// AcceptTools takes what a server has changed; Conflict where that is not what was seen.
	AcceptTools(ctx context.Context, v agent.Viewer, name, seen string) (agent.ToolServer, error)
	// HasPrompts says without asking whether there are any for the viewer.
	HasPrompts(v agent.Viewer) bool
	Prompts(ctx context.Context, v agent.Viewer) agent.ServerPrompts
	// Prompt has a server write one. NotFound, Unavailable, and Invalid where it refuses.
	Prompt(ctx context.Context, v agent.Viewer, server, name string, args map[string]string) (string, error)
}

// noServers is for a program without any.
type noServers struct{}

func (noServers) ToolServers() []agent.ToolServer { return []agent.ToolServer{} }

func (noServers) AcceptTools(context.Context, agent.Viewer, string, string) (agent.ToolServer, error) {
	return agent.ToolServer{}, agent.Errorf(agent.NotFound, "There is no such MCP server.")
}

func (noServers) HasPrompts(agent.Viewer) bool { return false }

func (noServers) Prompts(context.Context, agent.Viewer) agent.ServerPrompts {
	return agent.ServerPrompts{Items: []agent.ServerPrompt{}}
}

func (noServers) Prompt(context.Context, agent.Viewer, string, string, map[string]string) (string, error) {
	return "", agent.Errorf(agent.NotFound, "There is no such prompt.")
}

func (o Options) toolServers() ToolServers {
	if o.ToolServers == nil {
		return noServers{}
	}
	return o.ToolServers
}
