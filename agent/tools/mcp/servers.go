package mcp

import (
	"context"
	"log/slog"
	"net/url"
	"strings"
	"sync"

	"fusebox/agent"
	"fusebox/agent/tools"
	"fusebox/agent/tools/accepted"
	"fusebox/agent/tools/sandboxed"
	"fusebox/agent/tools/toolname"
)

// Options are what servers need of the outside.
type Options struct {
	Servers []Server
	Host    sandboxed.Host
	Memory  accepted.Memory
	// Tools takes what the servers offer.
	Tools *tools.Registry
	Clock agent.Clock
	Log   *slog.Logger
}

// Servers are all configured servers.
type Servers struct {
	keepers []*keeper
}

// New makes the servers and offers what was accepted of them before; Run starts them.
func New(ctx context.Context, o Options) (*Servers, error) {
	all := &Servers{}
	for _, conf := range o.Servers {
		k := &keeper{
			conf: conf, host: o.Host, offers: o.Tools, memory: o.Memory, clock: o.Clock, log: o.Log, secrets: sandboxed.NewSecrets(conf.Env, conf.Headers),
			relist: make(chan struct{}, 1), suspect: make(chan struct{}, 1), walls: o.Tools.Walls(),
			state: agent.ServerStarting, moved: make(chan struct{}),
		}
		if conf.Off {
			k.state = agent.ServerOff
		} else if err := k.recall(ctx); err != nil {
			return nil, err
		}
		all.keepers = append(all.keepers, k)
	}
	return all, nil
}

// Run keeps the servers running until ctx ends, and returns when nothing of them is left.
func (s *Servers) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, k := range s.keepers {
		if !k.conf.Off {
			all.Go(func() { k.run(ctx) })
		}
	}
	all.Wait()
}

// ToolServers lists the servers as they are now.
func (s *Servers) ToolServers() []agent.ToolServer {
	list := []agent.ToolServer{}
	for _, k := range s.keepers {
		list = append(list, k.view())
	}
	return list
}

// AcceptTools takes the new and changed tools of a server. seen is what the admin was
// shown; Conflict where that is not what is held back now. NotFound for an unknown server.
func (s *Servers) AcceptTools(ctx context.Context, v agent.Viewer, name, seen string) (agent.ToolServer, error) {
	for _, k := range s.keepers {
		if k.conf.Name == name {
			err := k.accept(agent.WithViewer(ctx, v), seen)
			return k.view(), err
		}
	}
	return agent.ToolServer{}, agent.Errorf(agent.NotFound, "There is no such MCP server.")
}

func (k *keeper) view() agent.ToolServer {
	k.mu.Lock()
	defer k.mu.Unlock()
	v := agent.ToolServer{
		Name: k.conf.Name, Transport: k.conf.Transport, State: k.state, Problem: k.problem, Seen: k.listing.tools.Seen(),
		Tools: k.listing.tools.View(k.shownName), Runs: k.conf.runs(),
	}
	if k.noise != nil {
		v.Problem = joined(k.problem, k.noise.problem(k.secrets.Scrub))
	}
	if k.conf.Transport == Stdio {
		v.Walls, v.Network, v.Read, v.Write = &k.walls, k.conf.Network, k.reads, k.writes
	}
	return v
}

// joined puts what is said about one thing behind the other.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// shownName is the name of a tool for people and models; the instructions have the server's.
func (k *keeper) shownName(tool string) string {
	if tool == accepted.Instructions {
		return k.conf.Name
	}
	return toolname.Of(k.conf.Name, tool)
}

// evidence is what a reviewer sees of every call to the server.
func (k *keeper) evidence() agent.ToolEvidence {
	e := agent.ToolEvidence{Runs: k.conf.runs()}
	if k.conf.Transport == Stdio {
		e.Walls = &k.walls
	}
	return e
}

// runs is what the server is, without anything secret: the command as configured, or the address
// without what follows its path.
func (s Server) runs() string {
	if s.Transport == Stdio {
		return strings.Join(s.Command, " ")
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host + u.Path
}

func (s Server) program() sandboxed.Program {
	return sandboxed.Program{Name: s.Name, Args: s.Command, Env: s.Env, Read: s.Read, Write: s.Write, Network: s.Network}
}
