package mcp

import (
	"time"

	"fusebox/agent"
	"fusebox/agent/tools/accepted"
)

// The transports.
const (
	Stdio = "stdio"
	HTTP  = "http" // streamable
	SSE   = "sse"
)

// Transports are all of them.
var Transports = []string{Stdio, HTTP, SSE}

// Server is one configured server.
type Server struct {
	Name      string
	Transport string
	// Command and Env start it where the transport is Stdio; Read, Write, and Network are
	// what it may use besides what its command line names.
	Command     []string
	Env         map[string]string
	Read, Write []string
	Network     bool
	// URL and Headers are for the other transports.
	URL     string
	Headers map[string]string
	// Effect is that of tools that are not in Tools, which are by their own names.
	Effect agent.Effect
	Tools  map[string]accepted.Judged
	// Roles may use it; nil is everybody.
	Roles []agent.Role
	// Timeout bounds each call.
	Timeout time.Duration
	// Review holds new tools back until an admin accepts them.
	Review bool
	Off    bool
}

// source is how tools name where they come from.
func (s Server) source() string { return "mcp:" + s.Name }
