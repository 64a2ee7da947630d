package mcp

import (
	"encoding/json"
	"strings"

	"fusebox/agent"
	"fusebox/agent/tools/accepted"
)

// instructions are the server's own instructions for its use.
func (s *session) instructions() string {
	return strings.TrimSpace(strings.ToValidUTF8(s.InitializeResult().Instructions, "\uFFFD"))
}

// instructions are listed like a tool.
func (k *keeper) instructions(says string) agent.KnownTool {
	return agent.KnownTool{
		Source: k.conf.source(), Name: accepted.Instructions, Description: says, Parameters: json.RawMessage("{}"), AcceptedAt: agent.Stamp(k.clock),
	}
}
