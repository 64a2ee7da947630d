package mcp

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fusebox/agent"
)

// judge says what a tool does: what an admin says of it, else the server's default effect.
// Its own annotations can only raise that.
func (s Server) judge(name string, claimed json.RawMessage) (agent.Effect, agent.Risk) {
	var claims mcp.ToolAnnotations
	if len(claimed) > 0 && json.Unmarshal(claimed, &claims) != nil {
		return agent.EffectUnknown, ""
	}
	if own, judged := s.Tools[name]; judged && own.Risk != "" {
		return own.Effect, own.Risk
	} else if judged {
		return own.Effect, raised(claims)
	}
	effect := s.Effect
	if effect == agent.EffectRead && claims.DestructiveHint != nil && *claims.DestructiveHint {
		effect = agent.EffectUnknown // it says itself that it does more than read
	}
	return effect, raised(claims)
}

// raised is the least risk of what a tool admits to do, "" for nothing special.
func raised(claims mcp.ToolAnnotations) agent.Risk {
	switch {
	case claims.DestructiveHint != nil && *claims.DestructiveHint:
		return agent.RiskHigh
	case claims.OpenWorldHint != nil && *claims.OpenWorldHint:
		return agent.RiskMedium
	default:
		return ""
	}
}
