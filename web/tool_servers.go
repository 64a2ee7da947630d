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
}

// noServers is for a program without any.
type noServers struct{}

func (noServers) ToolServers() []agent.ToolServer { return []agent.ToolServer{} }

func (noServers) AcceptTools(context.Context, agent.Viewer, string, string) (agent.ToolServer, error) {
	return agent.ToolServer{}, agent.Errorf(agent.NotFound, "There is no such MCP server.")
}

func (o Options) toolServers() ToolServers {
	if o.ToolServers == nil {
		return noServers{}
	}
	return o.ToolServers
}
