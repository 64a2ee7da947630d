package mcp

import (
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

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

// judge says what a tool does: what an admin says of it, else the server's default effect.
// Its own annotations can only raise that.
func (s Server) judge(name string, claimed json.RawMessage) (agent.Effect, agent.Risk) {
	var claims mcp.ToolAnnotations
	if len(claimed) > 0 && json.Unmarshal(claimed, &claims) != nil {
		return agent.EffectUnknown, agent.RiskHigh
	}
	if own, judged := s.Tools[name]; judged && own.Risk != "" {
		return own.Effect, own.Risk
	} else if judged {
		return own.Effect, raised(own.Effect, claims)
	}
	effect := s.Effect
	if effect == agent.EffectRead && claims.DestructiveHint != nil && *claims.DestructiveHint {
		effect = agent.EffectUnknown // it says itself that it does more than read
	}
	return effect, raised(effect, claims)
}

// raised is the risk of an effect, or of what a tool admits to do where that is higher.
func raised(effect agent.Effect, claims mcp.ToolAnnotations) agent.Risk {
	usual := effect.UsualRisk()
	switch {
	case claims.DestructiveHint != nil && *claims.DestructiveHint:
		return agent.RiskHigh // no effect is of a higher one
	case claims.OpenWorldHint != nil && *claims.OpenWorldHint && usual == agent.RiskLow:
		return agent.RiskMedium
	default:
		return usual
	}
}
