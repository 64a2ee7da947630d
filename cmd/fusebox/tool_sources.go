package main

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"

	"fusebox/agent"
	"fusebox/agent/sandbox"
	"fusebox/agent/tools"
	"fusebox/agent/tools/accepted"
	"fusebox/agent/tools/discovery"
	"fusebox/agent/tools/mcp"
	"fusebox/agent/tools/openapi"
	"fusebox/agent/tools/sandboxed"
	"fusebox/cmd/fusebox/config"
)

// toolSources are the sources of tools that are not built in.
type toolSources struct {
	servers  *mcp.Servers
	commands discovery.Options
	services *openapi.Sources
	// asked is closed once each command has been asked for its tools.
	asked chan struct{}
}

// sourceMemory stores what is known about tools from outside.
type sourceMemory interface {
	accepted.Memory
	openapi.Documents
}

// newToolSources makes the configured sources; they start with run. Their tools are listed
// in the order of the configuration, whichever comes up first.
func newToolSources(ctx context.Context, c *config.Config, log *slog.Logger, to *tools.Registry, box *sandbox.Sandbox, known sourceMemory) (*toolSources, error) {
	data, err := filepath.Abs(c.Data)
	if err != nil {
		return nil, err
	}
	host := sandboxed.Host{Box: box, Data: data, Base: filepath.Dir(c.File), Path: c.Path}
	for _, s := range c.Servers {
		to.Reserve("mcp:" + s.Name)
	}
	for _, s := range c.Commands {
		to.Reserve("command:" + s.Name)
	}
	for _, s := range c.OpenAPI {
		to.Reserve("openapi:" + s.Name)
	}
	services, err := openapi.New(ctx, openapi.Options{Sources: c.OpenAPI, Documents: known, Memory: known, Tools: to, Base: host.Base, Clock: agent.SystemClock{}, Log: log})
	if err != nil {
		return nil, err
	}
	servers, err := mcp.New(ctx, mcp.Options{Servers: c.Servers, Host: host, Memory: known, Tools: to, Clock: agent.SystemClock{}, Log: log})
	if err != nil {
		return nil, err
	}
	asked := make(chan struct{})
	commands := discovery.Options{Sources: c.Commands, Host: host, Tools: to, Log: log, Asked: func() { close(asked) }}
	return &toolSources{servers, commands, services, asked}, nil
}

// ready waits until runs can be continued: a model that was offered a tool before the
// server was started again would be told that there is none. A command that is asked has
// half a minute; the tools of MCP servers and services are remembered.
func (s *toolSources) ready(ctx context.Context) {
	select {
	case <-s.asked:
	case <-ctx.Done():
	}
}

// run keeps the sources alive until ctx ends, and returns when nothing of them is left.
func (s *toolSources) run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { s.servers.Run(ctx) })
	all.Go(func() { discovery.Run(ctx, s.commands) })
	all.Wait()
}
